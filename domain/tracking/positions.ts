import type { Micros } from '../../base/instant.ts';
import { integers, texts, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { AssetRef } from './history/asset-ref.ts';
import type { Stay } from './history/history.ts';
import { PairMap } from './pair-map.ts';

/** Where an asset is. An asset that was never scanned has neither stay nor time. */
export interface Position extends AssetRef {
  stay: Stay | null;
  lastSeen: Micros | null;
  /** Where its row is in the table (`ctid`): locked, it stays there until it is written. */
  row: string;
}

/**
 * The assets' positions, locked until this transaction ends, so that of two recorders of one asset the second sees
 * all that the first wrote. Locked in one order everywhere, so that no two recorders wait for each other.
 */
export async function lockPositions(db: Connection, assets: readonly AssetRef[]): Promise<Position[]> {
  const distinct = distinctAssets(assets);
  if (distinct.length === 0) {
    return [];
  }
  const positions = await lockExisting(db, distinct);
  if (positions.length === distinct.length) {
    return positions;
  }
  await insertMissing(db, distinct);
  return lockExisting(db, distinct);
}

function distinctAssets(assets: readonly AssetRef[]): readonly AssetRef[] {
  const distinct = new PairMap<number, number, AssetRef>();
  for (const asset of assets) {
    if (!distinct.has(asset.orgId, asset.assetId)) {
      distinct.add(asset.orgId, asset.assetId, asset);
    }
  }
  return distinct.values();
}

async function lockExisting(db: Connection, assets: readonly AssetRef[]): Promise<Position[]> {
  const rows = await db.any(sql.prepared('lock-positions', rowsOf<PositionRow>())`
    select position.row, position.org_id, position.asset_id, position.location_id,
      micros_of_time(position.since) as since, micros_of_time(position.last_seen) as last_seen
    from (
      select org_id, asset_id
      from unnest(
        ${sql.binary(integers(assets.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(assets.map(({ assetId }) => assetId)))}::integer[]) as given (org_id, asset_id)
      order by org_id, asset_id
    ) wanted
    cross join lateral (
      select ctid as row, * from positions
      where org_id = wanted.org_id and asset_id between wanted.asset_id and wanted.asset_id
      order by asset_id limit 1
      for no key update
    ) position`);
  return rows.map(toPosition);
}

interface PositionRow {
  row: string;
  org_id: number;
  asset_id: number;
  location_id: number | null;
  since: Micros | null;
  last_seen: Micros | null;
}

function toPosition(stored: PositionRow): Position {
  const {
    row,
    org_id: orgId,
    asset_id: assetId,
    location_id: locationId,
    since,
    last_seen: lastSeen,
  } = stored;
  const stay = locationId === null || since === null ? null : { locationId, since };
  return { orgId, assetId, stay, lastSeen, row };
}

async function insertMissing(db: Connection, assets: readonly AssetRef[]): Promise<void> {
  await db.exec(sql.prepared('insert-positions', NO_ROWS)`
    insert into positions (org_id, asset_id)
    select org_id, asset_id
    from unnest(
      ${sql.binary(integers(assets.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(assets.map(({ assetId }) => assetId)))}::integer[]) as wanted (org_id, asset_id)
    order by org_id, asset_id
    on conflict do nothing`);
}

/**
 * Writes positions where their rows are and searches no index: none has such sums, so the planner has no other way. (In a
 * table that statistics called empty it took all of an organization's positions for each.) By `on conflict`,
 * which inserts, every batch was counted by the trigger of migration 0017 as well: a tenth of a millisecond.
 */
export async function updatePositions(db: Connection, positions: readonly Position[]): Promise<void> {
  if (positions.length === 0) {
    return;
  }
  const updated = await db.exec(sql.prepared('update-positions', NO_ROWS)`
    update positions
    set location_id = changed.location_id, since = changed.since, last_seen = changed.last_seen
    from unnest(
      ${sql.binary(texts(positions.map(({ row }) => row)))}::text[],
      ${sql.binary(integers(positions.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(positions.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(integers(positions.map(({ stay }) => stay?.locationId ?? null)))}::integer[],
      ${sql.binary(timestamps(positions.map(({ stay }) => stay?.since ?? null)))}::timestamptz[],
      ${sql.binary(timestamps(positions.map(({ lastSeen }) => lastSeen)))}::timestamptz[])
      as changed (row, org_id, asset_id, location_id, since, last_seen)
    where positions.ctid = changed.row::tid
      and positions.org_id + 0 = changed.org_id and positions.asset_id + 0 = changed.asset_id`);
  if (updated !== positions.length) {
    throw new RangeError(`${updated} of ${positions.length} positions are where they were locked`);
  }
}
