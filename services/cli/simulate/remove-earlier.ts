import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { deleteReader } from '../../../domain/administration/readers/delete-reader.ts';
import { listReaders } from '../../../domain/administration/readers/list-readers.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import type { ChangeEntry } from '../../../domain/changes/entry.ts';
import { type Change, changed, makeChange } from '../../../domain/changes/make-change.ts';
import { type DeletedRow, deletionOf } from '../../../domain/master-data/logged/entries.ts';
import { loggedTags } from '../../../domain/master-data/tags/queries.ts';

export const MARK = 'simulated';

export interface Earlier {
  orgId: number;
  prefix: string;
  topicRoot: string;
}

/**
 * Deletes assets and readers of an earlier simulation with this prefix: the truth is known only for assets
 * never seen and readers that never read. Their scans stay.
 */
export async function removeEarlier(db: Database, actor: Actor, earlier: Earlier): Promise<void> {
  await makeChange(db, actor, async (change) => changed(undefined, await removeAssets(change, earlier)));
  const readers = await listReaders(db, earlier.orgId);
  for (const { id } of readers.filter(({ topic }) => topic.startsWith(`${earlier.topicRoot}/`))) {
    await deleteReader(db, actor, id);
  }
}

async function removeAssets(change: Change, { orgId, prefix }: Earlier): Promise<ChangeEntry[]> {
  const rows = await change.any(sql.type(rowsOf<DeletedRow & { id: number; tags: string }>())`
    with removed as (
      update assets set deleted_at = now()
      where org_id = ${orgId} and deleted_at is null and starts_with(external_key, ${prefix})
        and metadata ->> ${MARK} = 'true'
      returning id, external_key, deleted_at
    ), detached as (
      update tags set detached_at = now()
      where org_id = ${orgId} and detached_at is null and asset_id in (select id from removed)
      returning asset_id, id, tag_type, value
    )
    select removed.id, removed.external_key, removed.deleted_at, coalesce(tagged.tags, '[]') as tags
    from removed left join (
      select asset_id, ${loggedTags(sql.fragment`detached`)} as tags from detached group by asset_id
    ) tagged on tagged.asset_id = removed.id
    order by removed.id`);
  return rows.map((row) => deletionOf(orgId, 'asset', row.id, row, row.tags));
}
