import type { ClientBase } from 'pg';
import { integers, timestamps } from '../../../db/timescale/array-parameters.ts';
import type { Micros } from '../instant.ts';
import type { Stay } from './history.ts';

export interface AssetRef {
  orgId: number;
  assetId: number;
}

/** Where an asset is. An asset that was never scanned has neither stay nor time. */
export interface Position extends AssetRef {
  stay: Stay | null;
  lastSeen: Micros | null;
}

/** One string for each asset. */
export function assetName({ orgId, assetId }: AssetRef): string {
  return `${orgId} ${assetId}`;
}

/**
 * The assets' positions, locked until this transaction ends, so that of two recorders of one asset the second sees
 * all that the first wrote. Locked in one order everywhere, so that no two recorders wait for each other.
 */
export async function lockPositions(client: ClientBase, assets: readonly AssetRef[]): Promise<Position[]> {
  const distinct = [...new Map(assets.map((asset) => [assetName(asset), asset])).values()];
  if (distinct.length === 0) {
    return [];
  }
  const positions = await lockExisting(client, distinct);
  if (positions.length === distinct.length) {
    return positions;
  }
  await insertMissing(client, distinct);
  return lockExisting(client, distinct);
}

async function lockExisting(client: ClientBase, assets: readonly AssetRef[]): Promise<Position[]> {
  const { rows } = await client.query<PositionRow>({
    name: 'lock-positions',
    text: `select position.org_id, position.asset_id, position.location_id,
        micros_of_time(position.since) as since, micros_of_time(position.last_seen) as last_seen
      from (
        select org_id, asset_id from unnest($1::integer[], $2::integer[]) as given (org_id, asset_id)
        order by org_id, asset_id
      ) wanted
      cross join lateral (
        select * from positions
        where org_id = wanted.org_id and asset_id = wanted.asset_id
        for no key update
      ) position`,
    values: [integers(assets.map(({ orgId }) => orgId)), integers(assets.map(({ assetId }) => assetId))],
  });
  return rows.map(toPosition);
}

interface PositionRow {
  org_id: number;
  asset_id: number;
  location_id: number | null;
  since: Micros | null;
  last_seen: Micros | null;
}

function toPosition(row: PositionRow): Position {
  const { org_id: orgId, asset_id: assetId, location_id: locationId, since, last_seen: lastSeen } = row;
  const stay = locationId === null || since === null ? null : { locationId, since };
  return { orgId, assetId, stay, lastSeen };
}

async function insertMissing(client: ClientBase, assets: readonly AssetRef[]): Promise<void> {
  await client.query({
    name: 'insert-positions',
    text: `insert into positions (org_id, asset_id)
      select org_id, asset_id from unnest($1::integer[], $2::integer[]) as wanted (org_id, asset_id)
      order by org_id, asset_id
      on conflict do nothing`,
    values: [integers(assets.map(({ orgId }) => orgId)), integers(assets.map(({ assetId }) => assetId))],
  });
}

/** Of rows that are there, locked: `on conflict` finds each by its key. */
export async function updatePositions(client: ClientBase, positions: readonly Position[]): Promise<void> {
  if (positions.length === 0) {
    return;
  }
  await client.query({
    name: 'update-positions',
    text: `insert into positions (org_id, asset_id, location_id, since, last_seen)
      select org_id, asset_id, location_id, since, last_seen
      from unnest($1::integer[], $2::integer[], $3::integer[], $4::timestamptz[], $5::timestamptz[])
        as changed (org_id, asset_id, location_id, since, last_seen)
      on conflict (org_id, asset_id) do update
      set location_id = excluded.location_id, since = excluded.since, last_seen = excluded.last_seen`,
    values: [
      integers(positions.map(({ orgId }) => orgId)),
      integers(positions.map(({ assetId }) => assetId)),
      integers(positions.map(({ stay }) => stay?.locationId ?? null)),
      timestamps(positions.map(({ stay }) => stay?.since ?? null)),
      timestamps(positions.map(({ lastSeen }) => lastSeen)),
    ],
  });
}
