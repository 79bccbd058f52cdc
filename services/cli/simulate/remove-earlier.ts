import type { Database } from '../../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import { deleteReader } from '../../../domain/administration/readers/delete-reader.ts';
import { listReaders } from '../../../domain/administration/readers/list-readers.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import { type Change, makeChange } from '../../../domain/changes/make-change.ts';

/** Member of the metadata that marks simulated assets. */
export const MARK = 'simulated';

export interface Earlier {
  orgId: number;
  /** Prefix of the assets' keys. */
  prefix: string;
  /** Prefix of the readers' topics. */
  topicRoot: string;
}

/**
 * Deletes assets and readers of an earlier simulation with this prefix: a run needs assets never seen and readers that
 * never read, so that its truth is known. Their scans stay.
 */
export async function removeEarlier(db: Database, actor: Actor, earlier: Earlier): Promise<void> {
  await makeChange(db, actor, (change) => removeAssets(change, earlier));
  const readers = await listReaders(db, earlier.orgId);
  for (const { id } of readers.filter(({ topic }) => topic.startsWith(`${earlier.topicRoot}/`))) {
    await deleteReader(db, actor, id);
  }
}

async function removeAssets(change: Change, { orgId, prefix }: Earlier): Promise<void> {
  await change.exec(sql.type(NO_ROWS)`
    with removed as (
      update assets set deleted_at = now()
      where org_id = ${orgId} and deleted_at is null and starts_with(external_key, ${prefix})
        and metadata ->> ${MARK} = 'true'
      returning id
    )
    update tags set detached_at = now()
    where org_id = ${orgId} and detached_at is null and asset_id in (select id from removed)`);
}
