import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/**
 * Topics and filters of deleted readers. A session that the broker keeps for an absent process may still subscribe to
 * them.
 */
export async function loadRetiredTopics(db: Connection): Promise<string[]> {
  const rows = await db.any(sql.type(rowsOf<{ topic: string }>())`
    select distinct reader.topic
     from readers reader join organizations organization on organization.id = reader.org_id
     where reader.deleted_at is not null or organization.deleted_at is not null`);
  return rows.map(({ topic }) => topic);
}
