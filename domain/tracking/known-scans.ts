import { integers, smallints, texts, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, type RowQuery, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { LocatedScan } from './located-scan.ts';
import { earliest, latest } from './touched.ts';

/** What is stored of a scan that is known already. */
export interface KnownScan {
  /** Not the asset that the tag stands for now, if the tag was attached to another since. */
  assetId: number;
  locationId: number;
  rssi: number | null;
}

/**
 * Those of `placed`, each of another scan, that are stored already. The answer holds until this transaction ends if the
 * assets' positions are locked.
 */
export async function findKnownScans(
  db: Connection,
  placed: readonly LocatedScan[],
): Promise<ReadonlyMap<LocatedScan, KnownScan>> {
  const known = new Map<LocatedScan, KnownScan>();
  for (const [kind, query] of LOOK_UPS) {
    const wanted = placed.filter(({ scan }) => scan.source.kind === kind);
    if (wanted.length === 0) {
      continue;
    }
    for (const { position, asset_id: assetId, location_id: locationId, rssi } of await db.any(
      query(wanted),
    )) {
      const scan = wanted[position - 1];
      if (scan !== undefined) {
        known.set(scan, { assetId, locationId, rssi });
      }
    }
  }
  return known;
}

interface KnownRow {
  position: number;
  asset_id: number;
  location_id: number;
  rssi: number | null;
}

const byReader = (wanted: readonly LocatedScan[]): RowQuery<KnownRow> =>
  sql.prepared('known-scans-by-reader', rowsOf<KnownRow>())`
    select wanted.position::integer as position, known.asset_id, known.location_id, known.rssi
    from unnest(
      ${organizations(wanted)}, ${times(wanted)},
      ${sql.binary(integers(wanted.map(({ scan: { source } }) => (source.kind === 'reader' ? source.readerId : 0))))}::integer[],
      ${sql.binary(smallints(wanted.map(({ scan: { source } }) => (source.kind === 'reader' ? source.antenna : 0))))}::smallint[],
      ${sql.binary(texts(wanted.map(({ scan }) => scan.tagType)))}::text[],
      ${sql.binary(texts(wanted.map(({ tagValue }) => tagValue)))}::text[])
      with ordinality as wanted (org_id, observed_at, reader_id, antenna, tag_type, tag_value, position)
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
    select wanted.position::integer as position, known.asset_id, known.location_id, known.rssi
    from unnest(
      ${organizations(wanted)}, ${times(wanted)},
      ${sql.binary(texts(wanted.map(({ scan: { source } }) => (source.kind === 'handheld' ? source.submissionId : ''))))}::text[],
      ${sql.binary(integers(wanted.map(({ scan: { source } }) => (source.kind === 'handheld' ? source.index : 0))))}::integer[])
      with ordinality as wanted (org_id, observed_at, submission_id, submission_index, position)
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

/** The first and the last time tell the database what chunks to look into. */
function isAmong(wanted: readonly LocatedScan[]): FragmentSqlToken {
  return sql.fragment`observed_at between time_of_micros(${earliest(wanted)}::bigint)
    and time_of_micros(${latest(wanted)}::bigint)`;
}
