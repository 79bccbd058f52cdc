import {
  ambiguous,
  type FieldIssue,
  foreignKeyNotFound,
  invalid,
  refuseIssues,
} from '../../../base/checks/issues.ts';
import type { MergePatch } from '../../../base/checks/merge-patch.ts';
import { conflict, orNotFound } from '../../../base/errors.ts';
import { expensiveTurns, QUEUE } from '../../../base/expensive-turns.ts';
import type { SameJson } from '../../../base/json/same-json.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { ComposedOnce } from '../../../db/timescale/queries/composed-statements.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import { differences } from '../../changes/entry.ts';
import { changed, makeChange, type OrganizationChange, unchanged } from '../../changes/make-change.ts';
import { explainViolations, lockLiveLocationByKey } from '../by-id-or-key.ts';
import { claim } from '../claims.ts';
import { NEXT_UPDATE } from '../clauses.ts';
import { type Changes, LOCATION_COLUMNS, type Stored } from '../columns.ts';
import { type LookedUp, rowToPatch } from '../large-texts.ts';
import { changeOf, type DeletedRow, deletionOf, renamingOf } from '../logged/entries.ts';
import type { LocationRow } from '../rows.ts';
import { isUnchanged, patched, updated } from '../stored-columns.ts';
import { detachAllTags, detachingAll } from '../tags/queries.ts';
import { countDescendants } from './list-tree.ts';
import { findLiveLocation, lockLiveLocation, lookUpLocation } from './queries.ts';
import { lockTree, refuseCycle } from './refuse-cycle.ts';

const MISSING = 'Location not found';

type LocationChanges = Changes<typeof LOCATION_COLUMNS> & {
  parent_id?: number | null | undefined;
  parent_external_key?: string | null | undefined;
};

type LocationPatch = MergePatch<LocationRow, LocationChanges>;

/**
 * Applies a patch to a live location (contract 4.7). A patch without changes writes nothing.
 *
 * @throws Invalid for faults of the patch, given the current location; `conflict` if it would close a cycle.
 */
export function patchLocation(
  db: OrganizationDatabase,
  actor: Actor,
  id: number,
  patch: LocationPatch,
  same: SameJson,
): Promise<LookedUp<LocationRow> & { id: number }> {
  return makeChange<OrganizationConnection, LookedUp<LocationRow> & { id: number }>(
    db,
    actor,
    async (change) => {
      await orNotFound(MISSING, lockLocationForChange(change, id));
      const looked = await orNotFound(MISSING, lookUpLocation(change, id));
      const current = await rowToPatch<LocationRow>(change.orgId, looked, patch, () =>
        orNotFound(MISSING, findLiveLocation(change, id)),
      );
      const changes = patch.against(current);
      const after = await patched(LOCATION_COLUMNS, current, changes, same);
      const parentId = await patchedParent(change, current, changes);
      if (parentId === current.parent_id && isUnchanged(LOCATION_COLUMNS, current, after)) {
        return unchanged(current);
      }
      await updateLocation(change, id, { ...after, parent_id: parentId });
      const updated = await orNotFound(MISSING, lookUpLocation(change, id));
      return changed(updated, [
        changeOf(change.orgId, 'location', current, after, differences(parentOf(current), parentOf(updated))),
      ]);
    },
  );
}

function parentOf({ parent_external_key }: Pick<LocationRow, 'parent_external_key'>) {
  return { parent_external_key };
}

/** Keeps the new parent live until the transaction ends; null for a root. */
async function patchedParent(
  transaction: OrganizationConnection,
  current: LocationRow,
  { parent_id: id, parent_external_key: externalKey }: LocationChanges,
): Promise<number | null> {
  const keepsId = id === undefined || id === current.parent_id;
  const keepsKey = externalKey === undefined || externalKey === current.parent_external_key;
  if (keepsId && keepsKey) {
    return current.parent_id;
  }
  if (id === null || externalKey === null) {
    return null;
  }
  await lockTree(transaction);
  const parentId = await resolve(transaction, id, externalKey);
  await refuseCycle(transaction, current.id, parentId);
  return parentId;
}

/** If both forms are given, they must mean the same location. */
async function resolve(
  transaction: OrganizationConnection,
  id: number | undefined,
  externalKey: string | undefined,
): Promise<number> {
  const byId = id === undefined ? undefined : await lockLiveLocation(transaction, id);
  const byKey =
    externalKey === undefined
      ? undefined
      : await lockLiveLocationByKey(transaction, transaction.orgId, externalKey);
  const issues: FieldIssue[] = [];
  if (id !== undefined && byId === null) {
    issues.push(foreignKeyNotFound('parent_id', id));
  }
  if (externalKey !== undefined && byKey === null) {
    issues.push(foreignKeyNotFound('parent_external_key', externalKey));
  }
  refuseIssues(issues);
  const found = byId ?? byKey;
  if (found === null || found === undefined || (byKey ?? found) !== found) {
    throw invalid(ambiguous(['parent_id', 'parent_external_key']));
  }
  return found;
}

/**
 * Changes a live location's external key; its present key changes nothing. No other row is touched: the count is of
 * live locations below it.
 *
 * @throws AppError `conflict` if a live location has the key.
 */
export function renameLocation(
  db: OrganizationDatabase,
  actor: Actor,
  id: number,
  externalKey: string,
): Promise<{ location: LookedUp<LocationRow> & { id: number }; descendantCount: number }> {
  return makeChange(db, actor, async (change) => {
    const before = await orNotFound(MISSING, lockLocationForChange(change, id));
    if (before === externalKey) {
      return unchanged({
        location: await orNotFound(MISSING, lookUpLocation(change, id)),
        descendantCount: 0,
      });
    }
    await claim(change, [`location:${externalKey}`]);
    await explainViolations(updateLocationKey(change, id, externalKey), { external_key: externalKey });
    const renamed = {
      location: await orNotFound(MISSING, lookUpLocation(change, id)),
      descendantCount: await countAll(change, id),
    };
    return changed(renamed, [renamingOf(change.orgId, 'location', id, before, externalKey)]);
  });
}

/** Locations counted without a turn, in a few milliseconds. */
const FEW = 1_000;

/**
 * More than {@link FEW} are counted in the organization's turn: 15,000 nested ones take the database 50 ms.
 */
async function countAll(transaction: OrganizationConnection, id: number): Promise<number> {
  const few = await countDescendants(transaction, id, FEW + 1);
  const all = () => countDescendants(transaction, id, 2 ** 31 - 1);
  return few <= FEW ? few : expensiveTurns.run(transaction.orgId, 'rows', all, QUEUE);
}

/**
 * Soft-deletes a live location without live children or assets, detaches its tags (contract 3), and takes it off plans.
 *
 * @throws AppError `not_found`, or `conflict` naming the obstacle.
 */
export function deleteLocation(db: OrganizationDatabase, actor: Actor, id: number): Promise<void> {
  return detachingAll(db, 'location', id, () =>
    makeChange(db, actor, async (change) => {
      await orNotFound(MISSING, lockLocationForDelete(change, id));
      if ((await countDescendants(change, id, 1)) > 0) {
        throw conflict(
          'location has descendant locations; reassign or remove them before deleting (cascade is not supported)',
        );
      }
      if (await hasLiveAssets(change, id)) {
        throw conflict(
          'location has assets placed at it; move or remove them before deleting (cascade is not supported)',
        );
      }
      const deleted = await softDeleteLocation(change, id);
      await takeOffPlans(change, id);
      const tags = await detachAllTags(change, 'location', id);
      return changed(undefined, [deletionOf(change.orgId, 'location', id, deleted, tags)]);
    }),
  );
}

/** Takes plans from a location that is being deleted; they stay, without a location. Needs the location's lock. */
async function takeOffPlans(change: OrganizationChange, locationId: number): Promise<void> {
  const { orgId } = change;
  await change.exec(sql.prepared('take-off-plans', NO_ROWS)`
    with gone as (
      delete from plan_places where org_id = ${orgId} and location_id = ${locationId} returning plan_id
    )
    update plans set location_id = nullif(location_id, ${locationId}), version = version + 1, updated_at = now()
    where org_id = ${orgId} and (location_id = ${locationId} or id in (select plan_id from gone))`);
}

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

type LocationColumns = Stored<typeof LOCATION_COLUMNS> & { parent_id: number | null };

async function updateLocation(
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

async function updateLocationKey(change: OrganizationChange, id: number, externalKey: string): Promise<void> {
  await change.exec(sql.prepared('update-location-key', NO_ROWS)`
    update locations set external_key = ${externalKey}, updated_at = ${NEXT_UPDATE}
    where org_id = ${change.orgId} and id = ${id}`);
}

/** Needs the location's lock. */
function softDeleteLocation(change: OrganizationChange, id: number): Promise<DeletedRow> {
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
