import type { Micros } from '../../base/instant.ts';
import { integers, smallints, texts, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, type RowQuery, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { compareRssi } from './history/history.ts';
import { type LocatedScan, scanKey } from './located-scan.ts';
import { earliest, latest } from './positions.ts';

export interface KnownScan {
  /** The asset that the tag was attached to when the scan was recorded, perhaps not the one it is attached to now. */
  assetId: number;
  locationId: number;
  rssi: number | null;
}

/**
 * Finds those of `located` that are stored already. The answer holds until this transaction ends if the positions of
 * the assets are locked.
 *
 * @param located no two copies of one scan.
 */
export async function findKnownScans(
  db: Connection,
  located: readonly LocatedScan[],
): Promise<ReadonlyMap<LocatedScan, KnownScan>> {
  const known = new Map<LocatedScan, KnownScan>();
  for (const [kind, query] of LOOK_UPS) {
    const wanted = located.filter(({ scan }) => scan.source.kind === kind);
    if (wanted.length === 0) {
      continue;
    }
    for (const { ordinal, asset_id: assetId, location_id: locationId, rssi } of await db.any(query(wanted))) {
      const scan = wanted[ordinal - 1];
      if (scan !== undefined) {
        known.set(scan, { assetId, locationId, rssi });
      }
    }
  }
  return known;
}

interface KnownRow {
  ordinal: number;
  asset_id: number;
  location_id: number;
  rssi: number | null;
}

const byReader = (wanted: readonly LocatedScan[]): RowQuery<KnownRow> =>
  sql.prepared('known-scans-by-reader', rowsOf<KnownRow>())`
    select wanted.ordinal::integer as ordinal, known.asset_id, known.location_id, known.rssi
    from unnest(
      ${organizations(wanted)}, ${times(wanted)},
      ${sql.binary(integers(wanted.map(({ scan: { source } }) => (source.kind === 'reader' ? source.readerId : 0))))}::integer[],
      ${sql.binary(smallints(wanted.map(({ scan: { source } }) => (source.kind === 'reader' ? source.antenna : 0))))}::smallint[],
      ${sql.binary(texts(wanted.map(({ scan }) => scan.tagType)))}::text[],
      ${sql.binary(texts(wanted.map(({ tagValue }) => tagValue)))}::text[])
      with ordinality as wanted (org_id, observed_at, reader_id, antenna, tag_type, tag_value, ordinal)
    cross join lateral (
      select asset_id, location_id, rssi from scan_events
      where org_id = wanted.org_id and observed_at = wanted.observed_at
        and reader_id = wanted.reader_id and antenna = wanted.antenna
        and tag_type = wanted.tag_type and tag_value between wanted.tag_value and wanted.tag_value
        and ${isAmong(wanted)}
      order by tag_value offset 0
    ) known`;

const byHandheld = (wanted: readonly LocatedScan[]): RowQuery<KnownRow> =>
  sql.prepared('known-scans-by-handheld', rowsOf<KnownRow>())`
    select wanted.ordinal::integer as ordinal, known.asset_id, known.location_id, known.rssi
    from unnest(
      ${organizations(wanted)}, ${times(wanted)},
      ${sql.binary(texts(wanted.map(({ scan: { source } }) => (source.kind === 'handheld' ? source.submissionId : ''))))}::text[],
      ${sql.binary(integers(wanted.map(({ scan: { source } }) => (source.kind === 'handheld' ? source.index : 0))))}::integer[])
      with ordinality as wanted (org_id, observed_at, submission_id, submission_index, ordinal)
    cross join lateral (
      select asset_id, location_id, rssi from scan_events
      where org_id = wanted.org_id and observed_at = wanted.observed_at
        and submission_id = wanted.submission_id
        and submission_index between wanted.submission_index and wanted.submission_index
        and ${isAmong(wanted)}
      order by submission_index offset 0
    ) known`;

const LOOK_UPS = [
  ['reader', byReader],
  ['handheld', byHandheld],
] as const;

function organizations(wanted: readonly LocatedScan[]): FragmentSqlToken {
  return sql.fragment`${sql.binary(integers(wanted.map(({ orgId }) => orgId)))}::integer[]`;
}

function times(wanted: readonly LocatedScan[]): FragmentSqlToken {
  return sql.fragment`${sql.binary(timestamps(wanted.map(({ observedAt }) => observedAt)))}::timestamptz[]`;
}

/** Bounds of all scans, by which the database excludes chunks once and not for each row. */
function isAmong(wanted: readonly LocatedScan[]): FragmentSqlToken {
  return sql.fragment`observed_at between time_of_micros(${earliest(wanted)}::bigint)
    and time_of_micros(${latest(wanted)}::bigint)`;
}

interface Deduplicated {
  /** Scans to insert: the first copy of each, with the RSSI of the strongest. */
  fresh: LocatedScan[];
  /** Stronger copies of stored scans, under the asset that the stored scan belongs to. */
  stronger: LocatedScan[];
  /** Given scans that are not stored as rows of their own. */
  duplicates: ReadonlySet<LocatedScan>;
}

/** Scans without copies among them, and which of them each given one is a copy of. */
export interface Distinct {
  scans: LocatedScan[];
  located: readonly LocatedScan[];
  /** For each located one its index in `scans`. */
  numberOf: readonly number[];
  /** Copies of `scans`. */
  copies: readonly LocatedScan[];
}

/**
 * Tracking rule 3: a scan counts once. Of copies of a reader's scan that differ in RSSI only, the strongest stays,
 * whichever came first; of others the first stays.
 */
export function distinctScans(located: readonly LocatedScan[]): Distinct {
  const numbers = new ScanNumbers();
  const numberOf: number[] = [];
  const scans: LocatedScan[] = [];
  const copies: LocatedScan[] = [];
  for (const copy of located) {
    const number = numbers.numberOf(copy);
    numberOf.push(number);
    const first = scans[number];
    if (first === undefined) {
      scans.push(copy);
    } else {
      copies.push(copy);
      if (isStronger(copy, { locationId: first.locationId, rssi: first.scan.rssi })) {
        first.scan = { ...first.scan, rssi: copy.scan.rssi };
      }
    }
  }
  return { scans, located, numberOf, copies };
}

/** @param known those of the scans that are stored already. */
export function dropRepeats(
  { scans, located, numberOf, copies }: Distinct,
  known: ReadonlyMap<LocatedScan, KnownScan>,
): Deduplicated {
  const duplicates = new Set(copies);
  const fresh: LocatedScan[] = [];
  const stronger: LocatedScan[] = [];
  for (const scan of scans) {
    const stored = known.get(scan);
    if (stored === undefined) {
      fresh.push(scan);
    } else if (isStronger(scan, stored)) {
      stronger.push({ ...scan, assetId: stored.assetId });
    }
  }
  if (known.size > 0) {
    for (const [index, copy] of located.entries()) {
      if (known.has(scans[numberOf[index] as number] as LocatedScan)) {
        duplicates.add(copy);
      }
    }
  }
  return { fresh, stronger, duplicates };
}

/** Only copies of a reader's scan at the same location are compared. */
function isStronger(copy: LocatedScan, known: { locationId: number; rssi: number | null }): boolean {
  return (
    copy.scan.source.kind === 'reader' &&
    copy.locationId === known.locationId &&
    compareRssi(copy.scan.rssi, known.rssi) > 0
  );
}

/**
 * Numbers scans from 0, copies of a scan alike. A reader makes few scans at one instant, so the key of a scan, the most
 * expensive string of recording, is built for those only.
 */
export class ScanNumbers {
  readonly #firsts: LocatedScan[] = [];
  /** By reader. */
  readonly #atInstants = new Map<number, Map<Micros, SameInstant>>();

  numberOf(scan: LocatedScan): number {
    const { source } = scan.scan;
    // A handheld's scan is identified by submission and index, whatever the time.
    const instant = source.kind === 'reader' ? scan.observedAt : 0;
    const atInstants = this.#ofReader(source.kind === 'reader' ? source.readerId : NO_READER);
    const there = atInstants.get(instant);
    if (there === undefined) {
      atInstants.set(instant, this.#firsts.length);
      return this.#add(scan);
    }
    const byKey = typeof there === 'number' ? this.#keyed(there) : there;
    atInstants.set(instant, byKey);
    const key = scanKey(scan);
    const known = byKey.get(key);
    if (known !== undefined) {
      return known;
    }
    byKey.set(key, this.#firsts.length);
    return this.#add(scan);
  }

  #ofReader(reader: number): Map<Micros, SameInstant> {
    let atInstants = this.#atInstants.get(reader);
    if (atInstants === undefined) {
      atInstants = new Map();
      this.#atInstants.set(reader, atInstants);
    }
    return atInstants;
  }

  #keyed(number: number): Map<string, number> {
    return new Map([[scanKey(this.#firsts[number] as LocatedScan), number]]);
  }

  #add(scan: LocatedScan): number {
    return this.#firsts.push(scan) - 1;
  }
}

/** The number of the only scan, or the numbers of several by their keys. */
type SameInstant = number | Map<string, number>;

const NO_READER = 0;
