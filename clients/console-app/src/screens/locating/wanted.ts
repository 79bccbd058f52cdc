import { serverNow } from '../../api/server-clock.ts';
import type { LocatingValues, Procedure } from '../../api/types.ts';
import type { QueryValues } from '../../router/address.ts';
import { address } from '../../router/router.ts';

/** The setting to try, and its range, as typed. */
export interface Wanted {
  place: string | null;
  /** The key of the one asset to try it on; null for all. */
  asset: string | null;
  procedure: Procedure;
  certainty: string;
  /** Empty for the usual one. */
  tagDbm: string;
  /** Of kinds of tags; empty for none. */
  tagKinds: string;
  /** Milliseconds since 1970; NaN for invalid text. */
  from: number;
  to: number;
}

const DAY = 86_400_000;

/** The initial choice: a setting that suits most places, and the last day. */
export function usualWanted(now = serverNow()): Wanted {
  return {
    ...{ place: null, asset: null, procedure: 'strength', certainty: '1', tagDbm: '' },
    tagKinds: '',
    ...lastRange(DAY, now),
  };
}

export function lastRange(milliseconds: number, to = serverNow()): { from: number; to: number } {
  return { from: to - milliseconds, to };
}

const PROCEDURES: readonly string[] = ['every', 'strength', 'position', 'inherit'] satisfies Procedure[];

/**
 * The trial in the address; null if there is none.
 *
 * @param now the end of the range, of a day, if the address has none.
 */
export function wantedInAddress(now: number): Wanted | null {
  const { query } = address.value;
  const procedure = query.get('by') ?? '';
  if (!PROCEDURES.includes(procedure)) {
    return null;
  }
  const usual = usualWanted(now);
  const [from, to] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')];
  return {
    place: query.get('place'),
    asset: query.get('asset'),
    procedure: procedure as Procedure,
    certainty: query.get('certainty') ?? usual.certainty,
    tagDbm: query.get('tag') ?? '',
    tagKinds: query.get('kinds') ?? '',
    from: Number.isFinite(from) ? from : usual.from,
    to: Number.isFinite(to) ? to : usual.to,
  };
}

export function queryOf(wanted: Wanted): QueryValues {
  const { place, asset, procedure, certainty, tagDbm, tagKinds, from, to } = wanted;
  return {
    place,
    asset,
    by: procedure,
    certainty: asksForProof(procedure) ? certainty : null,
    tag: procedure === 'position' && tagDbm !== '' ? tagDbm : null,
    kinds: procedure === 'position' && tagKinds !== '' ? tagKinds : null,
    from: timeOf(from),
    to: timeOf(to),
  };
}

export function asksForProof(procedure: Procedure): boolean {
  return procedure === 'strength' || procedure === 'position';
}

/** As the API takes it. */
export function settingOf(wanted: WantedValues & Pick<Wanted, 'place'>) {
  return { location_external_key: wanted.place, ...valuesOf(wanted) };
}

type WantedValues = Pick<Wanted, 'procedure' | 'certainty' | 'tagDbm' | 'tagKinds'>;

export function valuesOf({ procedure, certainty, tagDbm, tagKinds }: WantedValues): LocatingValues {
  return {
    procedure,
    certainty: asksForProof(procedure) && certainty.trim() !== '' ? Number(certainty) : null,
    tag_dbm: procedure === 'position' && tagDbm.trim() !== '' ? Number(tagDbm) : null,
    tag_kinds: procedure === 'position' && tagKinds.trim() !== '' ? tagKinds : null,
  };
}

/** A stored setting as form fields. */
export function typed({ procedure, certainty, tag_dbm: tagDbm, tag_kinds: tagKinds }: LocatingValues) {
  return {
    procedure,
    certainty: certainty === null ? '1' : String(certainty),
    tagDbm: tagDbm === null ? '' : String(tagDbm),
    tagKinds: tagKinds ?? '',
  };
}

export function timeOf(milliseconds: number): string | null {
  return Number.isFinite(milliseconds) ? new Date(milliseconds).toISOString() : null;
}
