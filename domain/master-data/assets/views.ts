import type {
  OrganizationConnection,
  OrganizationDatabase,
} from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import type { ChangeEntry } from '../../changes/entry.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { MOST_OF_ORGANIZATION, requireRoom } from '../../changes/require-room.ts';

/** A view of the list of assets: what the console's address asks for, by a name. */
export interface AssetView {
  name: string;
  query: string;
}

export function listViews(db: OrganizationConnection): Promise<readonly AssetView[]> {
  return db.any(sql.type(rowsOf<AssetView>())`
    select name, query from asset_views where org_id = ${db.orgId} order by lower(name), name
    limit ${MOST_OF_ORGANIZATION.assetViews.most}`);
}

/** Saves a view, in the place of one of the same name. @throws AppError `conflict` if there are too many. */
export function saveView(db: OrganizationDatabase, actor: Actor, view: AssetView): Promise<void> {
  return makeChange(db, actor, async (change) => {
    const before = await lockView(change, view.name);
    if (before?.query === view.query) {
      return unchanged(undefined);
    }
    if (before === null) {
      await requireRoom(change, change.orgId, 'assetViews');
    }
    await change.exec(sql.type(NO_ROWS)`
      insert into asset_views (org_id, name, query) values (${change.orgId}, ${view.name}, ${view.query})
      on conflict (org_id, name) do update set query = excluded.query`);
    return changed(undefined, [entry(change.orgId, before, view)]);
  });
}

/** Also if there is none. */
export function removeView(db: OrganizationDatabase, actor: Actor, name: string): Promise<void> {
  return makeChange(db, actor, async (change) => {
    const before = await lockView(change, name);
    if (before === null) {
      return unchanged(undefined);
    }
    await change.exec(sql.type(NO_ROWS)`
      delete from asset_views where org_id = ${change.orgId} and name = ${name}`);
    return changed(undefined, [entry(change.orgId, before, null)]);
  });
}

function lockView(change: OrganizationConnection, name: string): Promise<AssetView | null> {
  return change.maybeOne(sql.type(rowsOf<AssetView>())`
    select name, query from asset_views where org_id = ${change.orgId} and name = ${name} for update`);
}

function entry(orgId: number, before: AssetView | null, after: AssetView | null): ChangeEntry {
  return {
    ...{ orgId, action: 'set_view', resource: { type: 'organization', id: orgId } },
    before: before && { ...before },
    after: after && { ...after },
  };
}
