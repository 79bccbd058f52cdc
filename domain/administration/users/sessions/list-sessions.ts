import { wireTime } from '../../../../base/timestamps.ts';
import { rowsOf, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';

export interface ListedSession {
  id: number;
  began_at: string;
  /** To within a minute. */
  used_at: string;
  ends_at: string;
  address: string;
  user_agent: string;
}

/** A user's sessions that last, the one used last first; a bounded number. */
export async function listSessions(
  db: Connection,
  userId: number,
  idleSeconds: number,
): Promise<ListedSession[]> {
  const rows = await db.any(sql.prepared('list-sessions', rowsOf<ListedSession>())`
    select id, began_at, used_at, ends_at, address, user_agent from sessions
    where user_id = ${userId} and ends_at > now() and used_at > now() - make_interval(secs => ${idleSeconds})
    order by used_at desc, id desc`);
  return rows.map((row) => ({
    ...row,
    began_at: wireTime(row.began_at),
    used_at: wireTime(row.used_at),
    ends_at: wireTime(row.ends_at),
  }));
}
