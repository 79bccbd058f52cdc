import type { ClientBase } from 'pg';
import type { Micros } from '../instant.ts';
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
        wanted.map(({ orgId }) => orgId),
        wanted.map(({ observedAt }) => observedAt),
        ...identity.map((column) => wanted.map(column)),
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
  identity: ((scan: PlacedScan) => string | number | Micros)[];
}

const BY_READER: Lookup = {
  kind: 'reader',
  text: `select wanted.position::integer as position, known.asset_id, known.location_id, known.rssi
    from unnest($1::integer[], $2::bigint[], $3::integer[], $4::smallint[], $5::text[], $6::text[]) with ordinality
      as wanted (org_id, observed_at, reader_id, antenna, tag_type, tag_value, position)
    join scan_events known on known.org_id = wanted.org_id
      and known.observed_at = time_of_micros(wanted.observed_at)
      and known.reader_id = wanted.reader_id and known.antenna = wanted.antenna
      and known.tag_type = wanted.tag_type and known.tag_value = wanted.tag_value`,
  identity: [
    ({ scan }) => (scan.source.kind === 'reader' ? scan.source.readerId : 0),
    ({ scan }) => (scan.source.kind === 'reader' ? scan.source.antenna : 0),
    ({ scan }) => scan.tagType,
    ({ tagValue }) => tagValue,
  ],
};

const BY_HANDHELD: Lookup = {
  kind: 'handheld',
  text: `select wanted.position::integer as position, known.asset_id, known.location_id, known.rssi
    from unnest($1::integer[], $2::bigint[], $3::text[], $4::integer[]) with ordinality
      as wanted (org_id, observed_at, submission_id, submission_index, position)
    join scan_events known on known.org_id = wanted.org_id
      and known.observed_at = time_of_micros(wanted.observed_at)
      and known.submission_id = wanted.submission_id and known.submission_index = wanted.submission_index`,
  identity: [
    ({ scan }) => (scan.source.kind === 'handheld' ? scan.source.submissionId : ''),
    ({ scan }) => (scan.source.kind === 'handheld' ? scan.source.index : 0),
  ],
};
