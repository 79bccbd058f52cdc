import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../../db/timescale/queries/verbs.ts';

export interface SessionUse {
  id: number;
  secondsAgo: number;
}

/** Seconds between two records of a use. */
const WRITTEN_EVERY_SECONDS = 60;

/** Prolongs sessions that were used. Locks them by id, so that processes writing the same ones do not deadlock. */
export async function noteSessionUses(db: Connection, uses: readonly SessionUse[]): Promise<void> {
  await db.exec(sql.prepared('note-session-uses', NO_ROWS)`
    with used as (
      select session.id, now() - make_interval(secs => given.seconds_ago) as used_at
      from unnest(
        ${sql.array(
          uses.map(({ id }) => id),
          'int8',
        )},
        ${sql.array(
          uses.map(({ secondsAgo }) => secondsAgo),
          'float8',
        )}
      ) as given (id, seconds_ago)
      join sessions session on session.id = given.id
      where session.used_at < now() - make_interval(secs => given.seconds_ago + ${WRITTEN_EVERY_SECONDS})
      order by session.id
      for no key update of session
    )
    update sessions session set used_at = greatest(session.used_at, used.used_at) from used where session.id = used.id`);
}
