import type { Micros } from '../../base/instant.ts';
import { doubles, integers, texts, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import {
  type FragmentSqlToken,
  NO_ROWS,
  type RowQuery,
  rowsOf,
  sql,
} from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { AssetRef } from './history/asset-ref.ts';
import type { Stay } from './history/history.ts';
import type { ObservedPosition } from './history/metric-position.ts';
import { microsOf } from './history/micros-of.ts';
import type { LocatedScan } from './located-scan.ts';
import { PairMap } from './pair-map.ts';

/** Tracking rule 4. An asset that was never scanned has neither `stay` nor `lastSeen`. */
export interface Position extends AssetRef {
  stay: Stay | null;
  lastSeen: Micros | null;
  /**
   * The database's clock when it was locked, or the time of its last published change if later: the clock may go back.
   */
  lockedAt: Micros;
  /** The `ctid` of its row, which stays the same while the row is locked and not yet written. */
  row: string;
  /** The transaction that wrote its row, and this one. */
  writer: string;
  transaction: string;
  /** The instant of its newest position on a plan; null if it has none. */
  positionAt: Micros | null;
  /** The new one: null for none any more; left out if it does not change. */
  newest?: ObservedPosition | null | undefined;
}

/**
 * Locks the positions until this transaction ends, inserting missing ones: one recorder at a time works on an asset,
 * and the second sees all that the first wrote.
 *
 * Recorders do not deadlock: they insert first and lock afterwards, both in the order of organization and asset. An insert waits
 * only for rows that others inserted, a lock only for rows that are committed. So nothing is locked while a row is missing, and a
 * batch written in pieces inserts all of its rows first, by {@link insertPositions}.
 *
 * @param areKnown true saves the look for missing rows, 1 to 4 us a position. If one is missing after all, recorders may deadlock
 *   once, and the database ends one of them, which records again.
 */
export async function lockPositions(
  db: Connection,
  assets: readonly AssetRef[],
  areKnown = false,
): Promise<Position[]> {
  const distinct = distinctAssets(assets);
  if (distinct.length === 0) {
    return [];
  }
  const positions = await (areKnown ? lockThere(db, distinct) : lockIfComplete(db, distinct));
  if (positions.length === distinct.length) {
    return positions;
  }
  await insertPositions(db, distinct);
  return lockIfComplete(db, distinct);
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

async function lockThere(db: Connection, assets: readonly AssetRef[]): Promise<Position[]> {
  const rows = await db.any(sql.prepared('lock-known-positions', rowsOf<PositionRow>())`
    ${LOCKED} from (
      select org_id, asset_id from unnest(${columnsOf(assets)}) as given (org_id, asset_id) order by org_id, asset_id
    ) wanted
    cross join lateral (${LOCKING}) position`);
  return rows.map(toPosition);
}

/** Locks all, or none if one is missing. */
async function lockIfComplete(db: Connection, assets: readonly AssetRef[]): Promise<Position[]> {
  const rows = await db.any(sql.prepared('lock-positions', rowsOf<PositionRow>())`
    ${LOCKED} from (
      select org_id, asset_id, bool_and(there.is_there is not null) over () as is_complete
      from unnest(${columnsOf(assets)}) as given (org_id, asset_id)
      left join lateral (
        select true as is_there from positions
        where org_id = given.org_id and asset_id between given.asset_id and given.asset_id
        order by asset_id limit 1
      ) there on true
      order by org_id, asset_id
    ) wanted
    cross join lateral (${LOCKING}) position
    where wanted.is_complete`);
  return rows.map(toPosition);
}

function columnsOf(assets: readonly AssetRef[]): FragmentSqlToken {
  return sql.fragment`
    ${sql.binary(integers(assets.map(({ orgId }) => orgId)))}::integer[],
    ${sql.binary(integers(assets.map(({ assetId }) => assetId)))}::integer[]`;
}

const SINCE = microsOf(sql.fragment`position.since`);
const LAST_SEEN = microsOf(sql.fragment`position.last_seen`);
const POSITION_AT = microsOf(sql.fragment`position.position_observed_at`);
const LOCKED_AT = microsOf(sql.fragment`greatest(position.told_at, clock_timestamp())`);

const LOCKED = sql.fragment`
    select position.row, position.writer, (select pg_current_xact_id()::xid) as transaction,
      position.org_id, position.asset_id, position.location_id,
      ${SINCE} as since, ${LAST_SEEN} as last_seen, ${POSITION_AT} as position_at, ${LOCKED_AT} as locked_at`;

const LOCKING = sql.fragment`
      select ctid as row, xmin as writer, * from positions
      where org_id = wanted.org_id and asset_id between wanted.asset_id and wanted.asset_id
      order by asset_id limit 1
      for no key update`;

interface PositionRow {
  row: string;
  writer: string;
  transaction: string;
  org_id: number;
  asset_id: number;
  location_id: number | null;
  since: Micros | null;
  last_seen: Micros | null;
  position_at: Micros | null;
  locked_at: Micros;
}

function toPosition(stored: PositionRow): Position {
  const {
    row,
    writer,
    transaction,
    org_id: orgId,
    asset_id: assetId,
    location_id: locationId,
    since,
    last_seen: lastSeen,
    position_at: positionAt,
    locked_at: lockedAt,
  } = stored;
  const stay = locationId === null || since === null ? null : { locationId, since };
  return { orgId, assetId, stay, lastSeen, positionAt, lockedAt, row, writer, transaction };
}

/** Inserts missing rows. Processes of the earlier version, which run during an upgrade, read `is_in_feed`. */
export async function insertPositions(db: Connection, assets: readonly AssetRef[]): Promise<void> {
  const distinct = distinctAssets(assets);
  await db.exec(sql.prepared('insert-positions', NO_ROWS)`
    insert into positions (org_id, asset_id, is_in_feed)
    select org_id, asset_id, true
    from unnest(${columnsOf(distinct)}) as wanted (org_id, asset_id)
    order by org_id, asset_id
    on conflict do nothing`);
}

/**
 * Updates rows by `ctid` and searches no index: `+ 0` leaves the planner no other way (on a table that statistics
 * called empty it read all of an organization's positions for each). `insert ... on conflict` would run the counting
 * trigger for every batch: 0.1 ms.
 *
 * @param toldAt for each, the recording time that the feed shows for its change; null without an event.
 */
export async function updatePositions(
  db: Connection,
  positions: readonly Position[],
  toldAt: readonly (Micros | null)[],
): Promise<void> {
  if (positions.length === 0) {
    return;
  }
  const updated = await db.exec(
    positions.some(({ newest }) => newest !== undefined)
      ? updateOnPlans(positions, toldAt)
      : sql.prepared('update-positions', NO_ROWS)`
    update positions
    set ${STAY_AFTER}
    from unnest(${staysOf(positions, toldAt)}) as changed (${STAY_COLUMNS})
    where ${IS_CHANGED}`,
  );
  if (updated !== positions.length) {
    throw new RangeError(`${updated} of ${positions.length} locked positions could be updated`);
  }
}

/** Those on plans as well. */
function updateOnPlans(
  positions: readonly Position[],
  toldAt: readonly (Micros | null)[],
): RowQuery<unknown> {
  const newest = positions.map((position) => position.newest ?? null);
  return sql.prepared('update-positions-on-plans', NO_ROWS)`
    update positions
    set ${STAY_AFTER},
      position_plan_location_id = case when changed.is_on_plan then changed.plan_location_id
        else positions.position_plan_location_id end,
      position_x = case when changed.is_on_plan then changed.x else positions.position_x end,
      position_y = case when changed.is_on_plan then changed.y else positions.position_y end,
      position_radius = case when changed.is_on_plan then changed.radius else positions.position_radius end,
      position_observed_at = case when changed.is_on_plan then changed.observed_at
        else positions.position_observed_at end
    from unnest(${staysOf(positions, toldAt)},
      ${sql.array(
        positions.map((position) => position.newest !== undefined),
        'bool',
      )},
      ${sql.binary(integers(newest.map((at) => at?.planLocationId ?? null)))}::integer[],
      ${sql.binary(doubles(newest.map((at) => at?.x ?? null)))}::float8[],
      ${sql.binary(doubles(newest.map((at) => at?.y ?? null)))}::float8[],
      ${sql.binary(doubles(newest.map((at) => at?.radius ?? null)))}::float8[],
      ${sql.binary(timestamps(newest.map((at) => at?.observedAt ?? null)))}::timestamptz[])
      as changed (${STAY_COLUMNS}, is_on_plan, plan_location_id, x, y, radius, observed_at)
    where ${IS_CHANGED}`;
}

const STAY_AFTER = sql.fragment`location_id = changed.location_id, since = changed.since,
      last_seen = changed.last_seen, told_at = coalesce(changed.told_at, positions.told_at)`;

const STAY_COLUMNS = sql.fragment`row, org_id, asset_id, location_id, since, last_seen, told_at`;

function staysOf(positions: readonly Position[], toldAt: readonly (Micros | null)[]): FragmentSqlToken {
  return sql.fragment`
      ${sql.binary(texts(positions.map(({ row }) => row)))}::text[],
      ${sql.binary(integers(positions.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(positions.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(integers(positions.map(({ stay }) => stay?.locationId ?? null)))}::integer[],
      ${sql.binary(timestamps(positions.map(({ stay }) => stay?.since ?? null)))}::timestamptz[],
      ${sql.binary(timestamps(positions.map(({ lastSeen }) => lastSeen)))}::timestamptz[],
      ${sql.binary(timestamps(toldAt))}::timestamptz[]`;
}

const IS_CHANGED = sql.fragment`positions.ctid = changed.row::tid
      and positions.org_id + 0 = changed.org_id and positions.asset_id + 0 = changed.asset_id`;

/** An asset with new or strengthened scans, which are written already. `position` is from before them. */
export interface Touched {
  position: Position;
  /** At least one: new ones in order of arrival, then copies that strengthened stored ones. */
  scans: LocatedScan[];
  /** The number of new ones, which come first in `scans`. */
  fresh: number;
  /** True if every scan is newer than all that were stored before. */
  isInOrder: boolean;
}

export function touchedAssets(
  positions: readonly Position[],
  fresh: readonly LocatedScan[],
  stronger: readonly LocatedScan[],
): Touched[] {
  const touched = new PairMap<number, number, Touched>();
  for (const position of positions) {
    touched.add(position.orgId, position.assetId, { position, scans: [], fresh: 0, isInOrder: true });
  }
  for (const scan of fresh) {
    const asset = touched.get(scan.orgId, scan.assetId);
    if (asset !== undefined) {
      add(asset, scan);
      asset.fresh++;
    }
  }
  for (const scan of stronger) {
    const asset = touched.get(scan.orgId, scan.assetId);
    if (asset !== undefined) {
      add(asset, scan);
    }
  }
  return touched.values().filter(({ scans }) => scans.length > 0);
}

function add(asset: Touched, scan: LocatedScan): void {
  asset.scans.push(scan);
  asset.isInOrder &&= isNewest(asset.position, scan.observedAt);
}

export function isNewest({ lastSeen }: Position, observedAt: number): boolean {
  return lastSeen === null || observedAt > lastSeen;
}

export function earliest(scans: readonly LocatedScan[]): Micros {
  return scans.reduce((first, { observedAt }) => Math.min(first, observedAt), Number.POSITIVE_INFINITY);
}

export function latest(scans: readonly LocatedScan[]): Micros {
  return scans.reduce((last, { observedAt }) => Math.max(last, observedAt), 0);
}
