import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { ComposedOnce } from '../../../db/timescale/queries/composed-statements.ts';
import { type FragmentSqlToken, NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import { liveByKey, positionOf, rowById } from '../by-id-or-key.ts';
import { NEXT_UPDATE } from '../clauses.ts';
import { ASSET_COLUMNS, type Given, type Written } from '../columns.ts';
import { type LookedUp, unlessLarge } from '../large-texts.ts';
import type { DeletedRow } from '../logged/entries.ts';
import type { AssetRow } from '../rows.ts';
import {
  named,
  selectedJson,
  selectedShort,
  stored,
  type Update,
  updated,
  withNames,
  written,
} from '../stored-columns.ts';
import type { TagColumns } from '../tags/new-tag.ts';
import { fewLiveTags, liveTags } from '../tags/queries.ts';

export type NewAsset = Given<typeof ASSET_COLUMNS> & {
  external_key?: string | undefined;
  tags?: TagColumns | undefined;
};

/** Columns of an `asset`, its `location_id` and that `location`, except the unbounded texts below. */
export const SHORT_COLUMNS = sql.fragment`asset.id, asset.external_key, ${selectedShort(ASSET_COLUMNS, 'asset')},
  asset.location_id, location.external_key as location_external_key, asset.position,
  asset.created_at, asset.updated_at, asset.deleted_at`;

export const LONG_COLUMNS = selectedJson(ASSET_COLUMNS, 'asset');

const COLUMNS = sql.fragment`${SHORT_COLUMNS}, ${withNames(LONG_COLUMNS)}, ${liveTags('asset', 'asset')}`;

/** The location of each `asset`, a deleted one, too. */
export function locationOf(orgId: number): FragmentSqlToken {
  return sql.fragment`${rowById('location', orgId, sql.fragment`asset.location_id`)} location on true`;
}

function liveAndPlaced(orgId: number, id: number): FragmentSqlToken {
  return sql.fragment`(
      select asset.*, position.location_id, ${POSITION_ON_PLAN} as position
      from ${rowById('asset', orgId, id, { live: true })} asset
      left join ${positionOf('asset')} on true
    ) asset
    left join ${locationOf(orgId)}`;
}

export function findLiveAsset(connection: OrganizationConnection, id: number): Promise<AssetRow | null> {
  return connection.maybeOne(sql.prepared('find-live-asset', rowsOf<AssetRow>())`
    select ${COLUMNS} from ${liveAndPlaced(connection.orgId, id)}`);
}

/** Pipelined look-up of a live asset. */
export function lookUpAsset(
  connection: OrganizationConnection,
  id: number,
): Promise<LookedUp<AssetRow> | null> {
  return connection.maybeOne(LOOK_UP.statement({ orgId: connection.orgId, id }));
}

const LOOK_UP = new ComposedOnce(
  ({ orgId, id }: { orgId: number; id: number }) =>
    sql.prepared('look-up-asset', rowsOf<LookedUp<AssetRow>>())`
      select ${SHORT_COLUMNS}, ${withNames(unlessLarge(LONG_COLUMNS))}, ${fewLiveTags('asset', 'asset')}
      from ${liveAndPlaced(orgId, id)}`,
);

export function readAssets(
  connection: OrganizationConnection,
  ids: readonly number[],
): Promise<readonly AssetRow[]> {
  return connection.any(sql.type(rowsOf<AssetRow>())`
    select ${COLUMNS}
    from (
      select asset.*, position.location_id, ${POSITION_ON_PLAN} as position from assets asset
      left join ${positionOf('asset')} on true
      where asset.org_id = ${connection.orgId} and asset.id = any(${sql.array(ids, 'int4')})
    ) asset
    left join ${locationOf(connection.orgId)}`);
}

/** Null if a live asset has the key. */
export function insertAsset(
  change: OrganizationChange,
  externalKey: string,
  asset: NewAsset,
): Promise<AssetRow | null> {
  const values = { orgId: change.orgId, externalKey, ...written(ASSET_COLUMNS, asset) };
  return change.maybeOne(INSERT.statement(values));
}

const INSERT = new ComposedOnce(
  (marks: { orgId: number; externalKey: string } & Written<typeof ASSET_COLUMNS>) =>
    sql.prepared('insert-asset', rowsOf<AssetRow>())`
    insert into assets (org_id, external_key, ${named(ASSET_COLUMNS)})
    select ${marks.orgId}, ${marks.externalKey}, ${stored(ASSET_COLUMNS, (name) => marks[name])}
    where (${liveByKey('asset', marks.orgId, marks.externalKey)}) is null
    on conflict (org_id, external_key) where deleted_at is null do nothing
    returning id, external_key, ${named(ASSET_COLUMNS)}, null::integer as location_id, null as location_external_key,
      null as position,
      created_at, updated_at, deleted_at, '[]' as tags`,
);

/**
 * Locks a live asset against other changes until the transaction ends; scans are not held up.
 *
 * @returns its external key; null if it does not exist.
 */
export async function lockLiveAsset(transaction: OrganizationConnection, id: number): Promise<string | null> {
  const row = await transaction.maybeOne(sql.prepared('lock-live-asset', rowsOf<{ external_key: string }>())`
    select external_key from (
      select external_key, deleted_at from assets
      where org_id = ${transaction.orgId} and id between ${id} and ${id} order by id limit 1
      for no key update
    ) asset where deleted_at is null`);
  return row?.external_key ?? null;
}

export async function updateAsset(
  change: OrganizationChange,
  id: number,
  columns: Update<typeof ASSET_COLUMNS>,
): Promise<void> {
  await change.exec(UPDATE.statement({ orgId: change.orgId, id, ...columns }));
}

const UPDATE = new ComposedOnce(
  (marks: { orgId: number; id: number } & Update<typeof ASSET_COLUMNS>) =>
    sql.prepared('update-asset', NO_ROWS)`
    update assets set ${updated(ASSET_COLUMNS, (name) => marks[name])}, updated_at = ${NEXT_UPDATE}
    where org_id = ${marks.orgId} and id = ${marks.id}`,
);

export async function updateAssetKey(
  change: OrganizationChange,
  id: number,
  externalKey: string,
): Promise<void> {
  await change.exec(sql.prepared('update-asset-key', NO_ROWS)`
    update assets set external_key = ${externalKey}, updated_at = ${NEXT_UPDATE}
    where org_id = ${change.orgId} and id = ${id}`);
}

/**
 * Soft-deletes a live asset. Null if there is none. The full lock waits for transactions that attach tags to it, so
 * that their tags are detached, too.
 */
export function softDeleteAsset(change: OrganizationChange, id: number): Promise<DeletedRow | null> {
  return change.maybeOne(sql.prepared('soft-delete-asset', rowsOf<DeletedRow>())`
    with locked as (
      -- Whether it is live is asked below: without statistics PostgreSQL would find it among all live ones.
      select id, deleted_at from assets where org_id = ${change.orgId} and id = ${id} for update
    )
    update assets set deleted_at = clock_timestamp(), updated_at = ${NEXT_UPDATE}
    from locked
    where assets.org_id = ${change.orgId} and assets.id = locked.id and locked.deleted_at is null
    returning assets.external_key, assets.deleted_at`);
}

/**
 * Whether a `position` was decided on a plan since the asset arrived at its location. An older one shows where it was
 * before.
 */
export const IS_ON_PLAN = sql.fragment`position.position_observed_at >= coalesce(position.since, position.position_observed_at)`;

/** The asset's position on a plan, as the API's JSON; null if unknown. */
export const POSITION_ON_PLAN = sql.fragment`case when ${IS_ON_PLAN} then json_build_object(
      'plan_location_id', position.position_plan_location_id,
      'x', round(position.position_x::numeric, 2),
      'y', round(position.position_y::numeric, 2),
      'radius_m', round(position.position_radius::numeric, 2),
      'observed_at', to_char(position.position_observed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    )::text end`;
