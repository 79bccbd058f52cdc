import { rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';

/** Sessions that last, of all users. */
export async function countSessions(db: Connection, idleSeconds: number): Promise<number> {
  const { sessions } = await db.one(sql.prepared('count-sessions', rowsOf<{ sessions: number }>())`
    select count(*)::int as sessions from sessions
    where ends_at > now() and used_at > now() - make_interval(secs => ${idleSeconds})`);
  return sessions;
}
