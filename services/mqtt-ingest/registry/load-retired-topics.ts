import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/**
 * Topics and filters of readers deleted within so many days. A session that the broker keeps for an absent process may still
 * subscribe to them. A broker that keeps sessions for longer is unsubscribed from the others as messages come.
 */
export async function loadRetiredTopics(db: Connection, days: number): Promise<string[]> {
  const rows = await db.any(sql.type(rowsOf<{ topic: string }>())`
    select distinct reader.topic
     from readers reader join organizations organization on organization.id = reader.org_id
     where least(reader.deleted_at, organization.deleted_at) > now() - make_interval(days => ${days}::integer)`);
  return rows.map(({ topic }) => topic);
}
