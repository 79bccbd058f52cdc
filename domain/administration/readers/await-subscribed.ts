import { setTimeout as pause } from 'node:timers/promises';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Milliseconds, and between two looks. A broker answers within a few, and notes are written within half a second. */
const PATIENCE = 10_000;
const LOOK = 50;

/**
 * Waits until every ingest process that is connected to a broker is known to be subscribed to a reader's topic: what is
 * published earlier, the broker keeps for nobody.
 *
 * @returns false if one is not after {@link PATIENCE}.
 */
export async function awaitSubscribed(db: Connection, topic: string): Promise<boolean> {
  const until = performance.now() + PATIENCE;
  while (await isMissing(db, topic)) {
    if (performance.now() > until) {
      return false;
    }
    await pause(LOOK);
  }
  return true;
}

/** Of processes that divide the readers one has the topic; those that have a session each do not say when they stop. */
async function isMissing(db: Connection, topic: string): Promise<boolean> {
  const { is_missing: missing } = await db.one(sql.type(rowsOf<{ is_missing: boolean }>())`
    select exists (
      select from broker_sessions session
      where not is_divided
        and (is_connected and held_until > now() or held_until is null and connected_at is not null)
        and not exists (
          select from broker_subscriptions held
          where held.realm = session.realm and held.topic = ${topic}
            and (session.held_until is not null or held.client_id = session.client_id)
        )
    ) as is_missing`);
  return missing;
}
