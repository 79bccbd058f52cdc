import type { ClientBase } from 'pg';
import { integers, smallints, texts, timestamps } from '../../../db/timescale/array-parameters.ts';
import { type PlacedScan, scanName } from './placed-scan.ts';

/** What is stored of a scan that is known already. */
export interface KnownScan {
  /** Not the asset that the tag stands for now, if the tag was attached to another since. */
  assetId: number;
  locationId: number;
  rssi: number | null;
}

/**
 * Those of `placed` that are stored already, by {@link scanName}. The answer holds until this transaction ends if
 * the assets' positions are locked.
 */
export async function findKnownScans(
  client: ClientBase,
  placed: readonly PlacedScan[],
): Promise<ReadonlyMap<string, KnownScan>> {
  const known = new Map<string, KnownScan>();
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
      ],
    });
    for (const { position, asset_id: assetId, location_id: locationId, rssi } of rows) {
      const scan = wanted[position - 1];
      if (scan !== undefined) {
        known.set(scanName(scan), { assetId, locationId, rssi });
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
  text: string;
  /** The columns of the identity that come after the organization and the time. */
  identity(scans: readonly PlacedScan[]): Buffer[];
}

const BY_READER: Lookup = {
  kind: 'reader',
  text: `select wanted.position::integer as position, known.asset_id, known.location_id, known.rssi
    from unnest($1::integer[], $2::timestamptz[], $3::integer[], $4::smallint[], $5::text[], $6::text[]) with ordinality
      as wanted (org_id, observed_at, reader_id, antenna, tag_type, tag_value, position)
    join scan_events known on known.org_id = wanted.org_id
      and known.observed_at = wanted.observed_at
      and known.reader_id = wanted.reader_id and known.antenna = wanted.antenna
      and known.tag_type = wanted.tag_type and known.tag_value = wanted.tag_value`,
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
    join scan_events known on known.org_id = wanted.org_id
      and known.observed_at = wanted.observed_at
      and known.submission_id = wanted.submission_id and known.submission_index = wanted.submission_index`,
  identity: (scans) => [
    texts(scans.map(({ scan: { source } }) => (source.kind === 'handheld' ? source.submissionId : ''))),
    integers(scans.map(({ scan: { source } }) => (source.kind === 'handheld' ? source.index : 0))),
  ],
};
