import type { Client } from '../../db/timescale/connections/client.ts';
import { integers, smallints, texts, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import type { PlacedScan } from './placed-scan.ts';

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
  client: Client,
  placed: readonly PlacedScan[],
): Promise<ReadonlyMap<PlacedScan, KnownScan>> {
  const known = new Map<PlacedScan, KnownScan>();
  for (const { kind, text, identity } of [BY_READER, BY_HANDHELD]) {
    const wanted = placed.filter(({ scan }) => scan.source.kind === kind);
    if (wanted.length === 0) {
      continue;
    }
    const { rows } = await client.query<KnownRow>({
      name: `known-scans-by-${kind}`,
      text,
      values: [
        integers(wanted.map(({ orgId }) => orgId)),
        timestamps(wanted.map(({ observedAt }) => observedAt)),
        ...identity(wanted),
        wanted.reduce((first, { observedAt }) => Math.min(first, observedAt), Number.MAX_SAFE_INTEGER),
        wanted.reduce((last, { observedAt }) => Math.max(last, observedAt), Number.MIN_SAFE_INTEGER),
      ],
    });
    for (const { position, asset_id: assetId, location_id: locationId, rssi } of rows) {
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

interface Lookup {
  kind: PlacedScan['scan']['source']['kind'];
  /** Its last two parameters are the first and the last time, by which the database knows what chunks to look into. */
  text: string;
  /** The columns of the identity that come after the organization and the time. */
  identity(scans: readonly PlacedScan[]): Buffer[];
}

const BY_READER: Lookup = {
  kind: 'reader',
  text: `select wanted.position::integer as position, known.asset_id, known.location_id, known.rssi
    from unnest($1::integer[], $2::timestamptz[], $3::integer[], $4::smallint[], $5::text[], $6::text[]) with ordinality
      as wanted (org_id, observed_at, reader_id, antenna, tag_type, tag_value, position)
    cross join lateral (
      select asset_id, location_id, rssi from scan_events
      where org_id = wanted.org_id and observed_at = wanted.observed_at
        and reader_id = wanted.reader_id and antenna = wanted.antenna
        and tag_type = wanted.tag_type and tag_value between wanted.tag_value and wanted.tag_value
        and observed_at between time_of_micros($7::bigint) and time_of_micros($8::bigint)
      order by tag_value offset 0
    ) known`,
  identity: (scans) => [
    integers(scans.map(({ scan: { source } }) => (source.kind === 'reader' ? source.readerId : 0))),
    smallints(scans.map(({ scan: { source } }) => (source.kind === 'reader' ? source.antenna : 0))),
    texts(scans.map(({ scan }) => scan.tagType)),
    texts(scans.map(({ tagValue }) => tagValue)),
  ],
};

const BY_HANDHELD: Lookup = {
  kind: 'handheld',
  text: `select wanted.position::integer as position, known.asset_id, known.location_id, known.rssi
    from unnest($1::integer[], $2::timestamptz[], $3::text[], $4::integer[]) with ordinality
      as wanted (org_id, observed_at, submission_id, submission_index, position)
    cross join lateral (
      select asset_id, location_id, rssi from scan_events
      where org_id = wanted.org_id and observed_at = wanted.observed_at
        and submission_id = wanted.submission_id
        and submission_index between wanted.submission_index and wanted.submission_index
        and observed_at between time_of_micros($5::bigint) and time_of_micros($6::bigint)
      order by submission_index offset 0
    ) known`,
  identity: (scans) => [
    texts(scans.map(({ scan: { source } }) => (source.kind === 'handheld' ? source.submissionId : ''))),
    integers(scans.map(({ scan: { source } }) => (source.kind === 'handheld' ? source.index : 0))),
  ],
};
