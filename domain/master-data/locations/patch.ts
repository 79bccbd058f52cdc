import {
  ambiguous,
  type FieldIssue,
  foreignKeyNotFound,
  invalid,
  refuseIssues,
} from '../../../base/checks/issues.ts';
import type { MergePatch } from '../../../base/checks/merge-patch.ts';
import { notFound } from '../../../base/errors.ts';
import type { SameJson } from '../../../base/json/same-json.ts';
import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import type { Actor } from '../../changes/actor.ts';
import { differences } from '../../changes/differences.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { lockLiveLocationByKey } from '../by-id-or-key.ts';
import { type Changes, LOCATION_COLUMNS } from '../columns.ts';
import { changeOf } from '../logged/entries.ts';
import { type LookedUp, rowToPatch } from '../looked-up.ts';
import type { LocationRow } from '../rows.ts';
import { isUnchanged, patched } from '../written.ts';
import { lockLocationForChange, updateLocation } from './changes.ts';
import { findLiveLocation, lockLiveLocation, lookUpLocation } from './queries.ts';
import { lockTree, refuseCycle } from './refuse-cycle.ts';

type LocationChanges = Changes<typeof LOCATION_COLUMNS> & {
  parent_id?: number | null | undefined;
  parent_external_key?: string | null | undefined;
};

export type LocationPatch = MergePatch<LocationRow, LocationChanges>;

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
      await orNotFound(lockLocationForChange(change, id));
      const looked = await orNotFound(lookUpLocation(change, id));
      const current = await rowToPatch<LocationRow>(change.orgId, looked, patch, () =>
        orNotFound(findLiveLocation(change, id)),
      );
      const changes = patch.against(current);
      const after = await patched(LOCATION_COLUMNS, current, changes, same);
      const parentId = await patchedParent(change, current, changes);
      if (parentId === current.parent_id && isUnchanged(LOCATION_COLUMNS, current, after)) {
        return unchanged(current);
      }
      await updateLocation(change, id, { ...after, parent_id: parentId });
      const updated = await orNotFound(lookUpLocation(change, id));
      return changed(updated, [
        changeOf(change.orgId, 'location', current, after, differences(parentOf(current), parentOf(updated))),
      ]);
    },
  );
}

function parentOf({ parent_external_key }: Pick<LocationRow, 'parent_external_key'>) {
  return { parent_external_key };
}

/** @throws AppError `not_found` if the location was deleted since the request was let in. */
export async function orNotFound<Found>(location: Promise<Found | null>): Promise<Found> {
  const found = await location;
  if (found === null) {
    throw notFound('Location not found');
  }
  return found;
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
