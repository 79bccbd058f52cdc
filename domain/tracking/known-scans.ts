import { integers, smallints, texts, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, type RowQuery, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { LocatedScan } from './located-scan.ts';
import { earliest, latest } from './touched.ts';

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
