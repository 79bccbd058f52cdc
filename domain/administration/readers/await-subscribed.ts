import { setTimeout as pause } from 'node:timers/promises';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Milliseconds. A broker answers within a few, and subscriptions are recorded within half a second. */
const PATIENCE = 10_000;
const LOOK = 50;

/** Takes a turn at the database for each look, and leaves it to others in between. */
type Ask = (look: (db: Connection) => Promise<boolean>) => Promise<boolean>;

/**
 * Waits until every connected ingest process has subscribed to a reader's topic: the broker keeps no message
 * published before that.
 *
 * @param patience milliseconds; 0 looks once.
 * @returns false if it ran out.
 */
export async function awaitSubscribed(ask: Ask, topic: string, patience = PATIENCE): Promise<boolean> {
  const until = performance.now() + patience;
  while (await ask((db) => isMissing(db, topic))) {
    if (performance.now() >= until) {
      return false;
    }
    await pause(LOOK);
  }
  return true;
}

/** Processes that share the readers have each topic once; processes with own sessions do not report when they stop. */
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
