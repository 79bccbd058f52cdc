import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { awaitLock } from '../../../db/timescale/connections/await-lock.ts';
import { Client } from '../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';

/** Timeouts of a statement, in milliseconds: at the server, and of its answer here. */
const STATEMENT = 15_000;
const ANSWER = 20_000;

/**
 * Milliseconds of silence after which the server ends the session, and with it the lock; the holder sends something
 * every second. So another process takes over even if the holder hangs or its machine has vanished. The session of a
 * killed process ends at once.
 */
const SILENCE = 3_500;

/** As the server shows the session. */
export const SEALER = 'tagtrail sealer';

/** Milliseconds between attempts at the lock. */
const EVERY = 500;

/** Forces index look-ups, which are right at any size of the queue. Its statistics are always out of date. */
const SETTINGS = sql.type(NO_ROWS)`select
  set_config('idle_session_timeout', ${String(SILENCE)}, false),
  set_config('statement_timeout', ${String(STATEMENT)}, false),
  set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false),
  set_config('enable_seqscan', 'off', false)`;

/**
 * Waits for the sealer's advisory lock, which one connection of a database holds at a time. Sealing runs on this very
 * connection, so a process that has lost the lock seals nothing.
 *
 * @returns null if the signal was aborted before.
 */
export async function holdSealing(url: string, signal?: AbortSignal): Promise<Client | null> {
  const client = new Client({
    ...connectionConfig(url, SEALER),
    query_timeout: ANSWER,
  });
  await client.connect();
  try {
    await client.exec(SETTINGS);
    if (await awaitLock(client, ADVISORY_LOCKS.sealing, { signal, every: EVERY })) {
      return client;
    }
  } catch (error) {
    leave(client);
    throw error;
  }
  leave(client);
  return null;
}

/** Without a goodbye, which would wait for a server that does not answer. */
export function leave(client: Client): void {
  client.connection.stream.destroy();
}
