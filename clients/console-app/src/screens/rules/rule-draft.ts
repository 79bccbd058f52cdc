import type { ApiError } from '../../api/api-error.ts';
import {
  RULE_READINGS,
  type RuleKind,
  type RuleReading,
  type RuleSettings,
  type WholeRule,
} from '../../api/types.ts';
import { secondsOf, type TypedDuration, typedDuration } from '../../parts/duration-field.tsx';
import { texts } from '../../texts/texts.ts';
import { keysIn, linesIn } from './rule-faults.ts';

export type Side = 'above' | 'below';

/** A rule as form fields. */
export interface RuleDraft {
  kind: RuleKind;
  name: string;
  after: TypedDuration;
  thenAfter: TypedDuration;
  place: string | null;
  reading: RuleReading;
  side: Side;
  /** Numbers as they are typed. */
  bound: string;
  hysteresis: string;
  hours: string;
  zone: string;
  within: string | null;
  /** Keys, with whitespace or commas between. */
  assets: string;
  /** `path=value`, one a line. */
  metadata: string;
  readers: readonly number[];
  mailTo: readonly string[];
}

/** Belongs to a part of the form. */
export interface DraftFields {
  draft: RuleDraft;
  problem: ApiError | null;
  onChange: (changed: Partial<RuleDraft>) => void;
}

/** The fields of a kind of rule, besides its assets or readers. */
export const ASKED: Readonly<
  Record<
    RuleKind,
    { place: boolean; after: 'must' | 'may' | null; thenAfter: boolean; readings?: readonly RuleReading[] }
  >
> = {
  overdue: { place: false, after: 'must', thenAfter: true },
  dwell: { place: true, after: 'must', thenAfter: true },
  not_allowed: { place: true, after: null, thenAfter: false },
  must_be: { place: true, after: 'may', thenAfter: false },
  reading: { place: false, after: 'may', thenAfter: false, readings: RULE_READINGS },
  battery_low: {
    ...{ place: false, after: 'may', thenAfter: false },
    readings: ['battery_percent', 'battery_volts'],
  },
  reader: { place: false, after: 'may', thenAfter: false },
};

export function newDraft(kind: RuleKind): RuleDraft {
  return {
    kind,
    name: '',
    after: typedDuration(null),
    thenAfter: typedDuration(null),
    place: null,
    reading: kind === 'battery_low' ? 'battery_percent' : 'temperature_c',
    side: kind === 'battery_low' ? 'below' : 'above',
    bound: '',
    hysteresis: '',
    hours: '',
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    within: null,
    assets: '',
    metadata: '',
    readers: [],
    mailTo: [],
  };
}

export function draftOf(rule: WholeRule): RuleDraft {
  const draft = newDraft(rule.kind);
  return {
    ...draft,
    name: rule.name,
    after: typedDuration(rule.after_seconds),
    thenAfter: typedDuration(rule.then_seconds),
    place: rule.location_external_key,
    reading: rule.reading ?? draft.reading,
    side: rule.below === null ? 'above' : 'below',
    bound: String(rule.above ?? rule.below ?? ''),
    hysteresis: String(rule.hysteresis ?? ''),
    hours: rule.hours ?? '',
    zone: rule.time_zone ?? draft.zone,
    within: rule.within_location_external_key,
    assets: rule.asset_external_keys?.join('\n') ?? '',
    metadata: rule.metadata.map(({ path, value }) => `${path.join('.')}=${value}`).join('\n'),
    readers: rule.reader_ids ?? [],
    mailTo: rule.mail_to ?? [],
  };
}

/** The draft as the form shows it once it is saved. */
export function savedAs(draft: RuleDraft): RuleDraft {
  return draftOf({ ...(settingsOf(draft) as WholeRule), kind: draft.kind });
}

/** What the form calls a field. */
export function fieldLabel(field: keyof RuleDraft, { kind, reading }: RuleDraft): string {
  const { rules: t, readings } = texts.value;
  const unit = readings.units[reading];
  const labels: Record<keyof RuleDraft, string> = {
    ...{ kind: t.kind, name: t.name, after: t.after[kind], place: t.place, within: t.within },
    thenAfter: t.thenAfter[kind === 'dwell' ? 'dwell' : 'overdue'],
    ...{ reading: t.reading, side: t.side, bound: t.bound(unit), hysteresis: t.hysteresis(unit) },
    ...{ hours: t.hours, zone: t.hours, assets: t.assets, metadata: t.metadata },
    ...{ readers: t.readers, mailTo: t.mail },
  };
  return labels[field];
}

export function fieldText(value: unknown, field: keyof RuleDraft): string {
  const { rules, readings, durations } = texts.value;
  switch (field) {
    case 'after':
    case 'thenAfter': {
      const { count, unit } = value as TypedDuration;
      return count === '' ? '' : `${count} ${durations[unit]}`;
    }
    case 'reading':
      return readings.kinds[value as RuleReading];
    case 'side':
      return rules.sides[value as Side];
    default:
      return Array.isArray(value) ? value.join(', ') : String(value ?? '');
  }
}

type TypedSettings = RuleSettings & { asset_external_keys: string[] | null; mail_to: readonly string[] };

/** As the API takes it, without fields that the kind does not have. */
export function settingsOf(draft: RuleDraft): TypedSettings {
  const { kind, place, hours, zone } = draft;
  const asked = ASKED[kind];
  const isOfReaders = kind === 'reader';
  const hasHours = kind === 'must_be' && hours.trim() !== '';
  const keys = keysIn(draft.assets);
  return {
    kind,
    name: draft.name.trim(),
    after_seconds: asked.after === null ? null : secondsOf(draft.after),
    then_seconds: asked.thenAfter ? secondsOf(draft.thenAfter) : null,
    location_external_key: asked.place ? place : null,
    reading: asked.readings === undefined ? null : draft.reading,
    ...boundsOf(draft),
    hours: hasHours ? hours.trim() : null,
    time_zone: hasHours ? zone : null,
    within_location_external_key: isOfReaders ? null : draft.within,
    asset_external_keys: isOfReaders || keys.length === 0 ? null : keys,
    metadata: isOfReaders ? [] : linesIn(draft.metadata).map(termOf),
    reader_ids: isOfReaders && draft.readers.length > 0 ? draft.readers : null,
    mail_to: draft.mailTo,
  };
}

function boundsOf(draft: RuleDraft): Pick<RuleSettings, Side | 'hysteresis'> {
  const { kind, side, bound, hysteresis } = draft;
  const isAsked = ASKED[kind].readings !== undefined;
  const at = isAsked ? numberIn(bound) : null;
  return {
    above: side === 'above' ? at : null,
    below: side === 'below' ? at : null,
    hysteresis: isAsked ? numberIn(hysteresis) : null,
  };
}

function numberIn(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}

/**
 * The edited fields. All others stay as they are, including values that the form cannot show, deleted assets or
 * members, and others' changes.
 */
export function changedSettings(draft: RuleDraft, kept: RuleDraft): Partial<TypedSettings> {
  const before: Record<string, unknown> = { ...settingsOf(kept) };
  return Object.fromEntries(
    Object.entries(settingsOf(draft)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
    ),
  );
}

function termOf(line: string): { path: string[]; value: string } {
  const [path = '', value = ''] = line.split(/=(.*)/s);
  return { path: path.trim().split('.'), value: value.trim() };
}
