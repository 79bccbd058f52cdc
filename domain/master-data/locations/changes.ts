import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { ComposedOnce } from '../../../db/timescale/queries/composed-once.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import { NEXT_UPDATE } from '../clauses.ts';
import { updated } from '../column-lists.ts';
import { LOCATION_COLUMNS, type Stored } from '../columns.ts';
import type { DeletedRow } from '../logged/entries.ts';

/**
 * Locks the live location against other changes until the transaction ends. Whether it is live is not a condition:
 * without statistics PostgreSQL would look for it among all live ones.
 *
 * @returns its external key; null if there is none.
 */
export async function lockLocationForChange(
  transaction: OrganizationConnection,
  id: number,
): Promise<string | null> {
  const row = await transaction.maybeOne(sql.prepared(
    'lock-location-for-change',
    rowsOf<{ external_key: string; is_live: boolean }>(),
  )`
    select external_key, deleted_at is null as is_live from locations
    where org_id = ${transaction.orgId} and id = ${id} for no key update`);
  return row?.is_live === true ? row.external_key : null;
}

/**
 * Locks a live location exclusively, references included: waits for transactions that add a child or an asset, and
 * blocks others. Null if there is none.
 */
export async function lockLocationForDelete(
  transaction: OrganizationConnection,
  id: number,
): Promise<number | null> {
  const row = await transaction.maybeOne(sql.prepared(
    'lock-location-for-delete',
    rowsOf<{ id: number; is_live: boolean }>(),
  )`
    select id, deleted_at is null as is_live from locations
    where org_id = ${transaction.orgId} and id = ${id} for update`);
  return row?.is_live === true ? row.id : null;
}

export type LocationColumns = Stored<typeof LOCATION_COLUMNS> & { parent_id: number | null };

export async function updateLocation(
  change: OrganizationChange,
  id: number,
  columns: LocationColumns,
): Promise<void> {
  await change.exec(UPDATE.statement({ orgId: change.orgId, id, ...columns }));
}

const UPDATE = new ComposedOnce(
  (marks: { orgId: number; id: number } & LocationColumns) => sql.prepared('update-location', NO_ROWS)`
    update locations set
      ${updated(LOCATION_COLUMNS, (name) => marks[name])}, parent_id = ${marks.parent_id}::integer,
      updated_at = ${NEXT_UPDATE}
    where org_id = ${marks.orgId} and id = ${marks.id}`,
);

export async function updateLocationKey(
  change: OrganizationChange,
  id: number,
  externalKey: string,
): Promise<void> {
  await change.exec(sql.prepared('update-location-key', NO_ROWS)`
    update locations set external_key = ${externalKey}, updated_at = ${NEXT_UPDATE}
    where org_id = ${change.orgId} and id = ${id}`);
}

/** Needs the location's lock. */
export function softDeleteLocation(change: OrganizationChange, id: number): Promise<DeletedRow> {
  return change.one(sql.prepared('soft-delete-location', rowsOf<DeletedRow>())`
    update locations set deleted_at = clock_timestamp(), updated_at = ${NEXT_UPDATE}
    where org_id = ${change.orgId} and id = ${id}
    returning external_key, deleted_at`);
}

/**
 * An asset counts if its last stay is at the location. The range and the order leave the planner the one index that has all columns,
 * whatever statistics say.
 */
export async function hasLiveAssets(transaction: OrganizationConnection, id: number): Promise<boolean> {
  const row = await transaction.maybeOne(sql.prepared('has-live-assets', rowsOf<{ asset_id: number }>())`
    select asset_id from positions
    where org_id = ${transaction.orgId} and location_id = ${id} and is_of_deleted <= false
    order by is_of_deleted limit 1`);
  return row !== null;
}
