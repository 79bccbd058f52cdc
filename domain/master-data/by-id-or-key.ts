import { AppError, conflict } from '../../base/errors.ts';
import type { OrganizationConnection } from '../../db/timescale/connections/organization-door.ts';
import { brokenConstraintOf } from '../../db/timescale/connections/sql-state.ts';
import { type FragmentSqlToken, rowsOf, sql, type ValueExpression } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/**
 * The row with an id, for a from clause. Ordered by id it is read by the primary key; without statistics, or where they
 * say "empty", another index that begins with the organization seems as good, and a look-up would read all its rows. Indexes
 * of live rows are ruled out, as whether it is live is asked of the row found.
 */
export function rowById(
  resource: Keyed,
  orgId: number,
  id: ValueExpression,
  { live = false } = {},
): FragmentSqlToken {
  const row = sql.fragment`(
    select * from ${TABLES[resource]} where org_id = ${orgId} and id between ${id} and ${id} order by id limit 1)`;
  return live
    ? sql.fragment`lateral (select * from ${row} kept where deleted_at is null)`
    : sql.fragment`lateral ${row}`;
}

/** The position of each asset of `table`, found as {@link rowById}. */
export function positionOf(table: string): FragmentSqlToken {
  const id = sql.identifier([table, 'id']);
  return sql.fragment`lateral (
    select * from positions where org_id = ${sql.identifier([table, 'org_id'])} and asset_id between ${id} and ${id}
    order by asset_id limit 1
  ) position`;
}

export async function findLiveById(
  connection: OrganizationConnection,
  resource: Keyed,
  id: number,
): Promise<number | null> {
  const row = await connection.maybeOne(sql.prepared(`find-live-${resource}-id`, rowsOf<{ id: number }>())`
    select id from ${rowById(resource, connection.orgId, id, { live: true })} stored`);
  return row?.id ?? null;
}

/** Also finds a deleted row, whose history stays. */
export async function findById(
  connection: OrganizationConnection,
  resource: Keyed,
  id: number,
): Promise<number | null> {
  const row = await connection.maybeOne(sql.prepared(`find-${resource}-id`, rowsOf<{ id: number }>())`
    select id from ${rowById(resource, connection.orgId, id)} stored`);
  return row?.id ?? null;
}

export type Keyed = 'asset' | 'location';

const NOUN = { asset: 'Asset', location: 'Location' };

/**
 * The id of the live row with a key, for a subquery of its own (`exists` drops the order). Ordered by key it is found
 * by the index on keys; for an organization newer than the statistics another seems as good, and every create would
 * read all its rows.
 */
export function liveByKey(
  resource: Keyed,
  orgId: number,
  key: ValueExpression,
  columns = sql.fragment`id`,
): FragmentSqlToken {
  return sql.fragment`select ${columns} from ${TABLES[resource]}
    where org_id = ${orgId} and external_key >= ${key} and external_key <= ${key} and deleted_at is null
    order by external_key limit 1`;
}

/** The live rows with some keys, each looked up as {@link liveByKey}, for a from clause. */
export function liveByKeys(resource: Keyed, orgId: number, keys: readonly string[]): FragmentSqlToken {
  const row = liveByKey(resource, orgId, sql.fragment`key`, sql.fragment`*`);
  return sql.fragment`(select distinct unnest(${sql.array(keys, 'text')}) as key) given cross join lateral (${row})`;
}

export async function findLiveByKey(
  db: Connection,
  resource: Keyed,
  orgId: number,
  externalKey: string,
): Promise<number | null> {
  const row = await db.maybeOne(sql.prepared(`find-live-${resource}-by-key`, rowsOf<{ id: number }>())`
    ${liveByKey(resource, orgId, externalKey)}`);
  return row?.id ?? null;
}

/** @throws AppError `not_found` naming the key. */
export async function requireLiveByKey(
  db: Connection,
  resource: Keyed,
  orgId: number,
  externalKey: string,
): Promise<number> {
  return (await findLiveByKey(db, resource, orgId, externalKey)) ?? refuse(resource, orgId, externalKey);
}

export interface KeyedRow {
  id: number;
  external_key: string;
}

/** Live rows by key, ordered by id. Selecting each as the first in an order leaves the planner one index. */
export function findLiveByKeys(
  db: Connection,
  resource: Keyed,
  orgId: number,
  externalKeys: readonly string[],
): Promise<readonly KeyedRow[]> {
  return db.any(sql.type(rowsOf<KeyedRow>())`
    select stored.id, stored.external_key
    from unnest(${sql.array(externalKeys, 'text')}) as given (external_key)
    cross join lateral (
      select id, external_key from ${TABLES[resource]}
      where org_id = ${orgId} and external_key >= given.external_key and deleted_at is null
      order by external_key
      limit 1
    ) stored
    where stored.external_key = given.external_key
    order by stored.id`);
}

/**
 * Locks the live location with this key, so that it stays live until the transaction ends (deleting takes its row's
 * full lock first). Null if there is none.
 */
export async function lockLiveLocationByKey(
  transaction: Connection,
  orgId: number,
  externalKey: string,
): Promise<number | null> {
  const row = await transaction.maybeOne(sql.type(rowsOf<{ id: number }>())`
    ${liveByKey('location', orgId, externalKey)} for key share`);
  return row?.id ?? null;
}

/**
 * {@link lockLiveLocationByKey}, or throws.
 *
 * @throws AppError `not_found` naming the key.
 */
export async function holdLiveLocation(
  transaction: Connection,
  orgId: number,
  externalKey: string,
): Promise<number> {
  return (
    (await lockLiveLocationByKey(transaction, orgId, externalKey)) ?? refuse('location', orgId, externalKey)
  );
}

/**
 * Locks the live ones among the locations, ordered by id, so that they stay live until the transaction ends.
 *
 * @returns their ids.
 */
export async function holdLiveLocations(
  transaction: Connection,
  orgId: number,
  ids: readonly number[],
): Promise<readonly number[]> {
  const rows = await transaction.any(sql.type(rowsOf<{ id: number }>())`
    select id from locations
    where org_id = ${orgId} and id = any (${sql.array(ids, 'int4')}) and deleted_at is null
    order by id for key share`);
  return rows.map(({ id }) => id);
}

/** {@link findLiveByKeys} of assets, which stay live until the transaction ends. */
export async function holdLiveAssetsByKey(
  transaction: Connection,
  orgId: number,
  externalKeys: readonly string[],
): Promise<readonly KeyedRow[]> {
  const found = await findLiveByKeys(transaction, 'asset', orgId, externalKeys);
  const ids = found.map(({ id }) => id);
  return transaction.any(sql.type(rowsOf<KeyedRow>())`
    select id, external_key from assets
    where org_id = ${orgId} and id = any (${sql.array(ids, 'int4')}) and deleted_at is null
    order by id for key share`);
}

function refuse(resource: Keyed, orgId: number, externalKey: string): never {
  throw new AppError('not_found', `${NOUN[resource]} ${externalKey} not found in organization ${orgId}`);
}

const ERRORS: Readonly<Record<string, (values: { external_key: string }) => AppError>> = {
  assets__org_id_external_key: ({ external_key }) => keyTaken('asset', external_key),
  locations__org_id_external_key: ({ external_key }) => keyTaken('location', external_key),
};

export function keyTaken(resource: 'asset' | 'location', externalKey: string): AppError {
  return conflict(`${resource} with external_key ${externalKey} already exists`);
}

export async function explainViolations<Result>(
  write: Promise<Result>,
  values: { external_key: string },
): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    throw ERRORS[brokenConstraintOf(error) ?? '']?.(values) ?? error;
  }
}

export const TABLES = { asset: sql.fragment`assets`, location: sql.fragment`locations` };
