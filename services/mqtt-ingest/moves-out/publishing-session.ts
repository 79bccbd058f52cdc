import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { awaitLock } from '../../../db/timescale/connections/await-lock.ts';
import { Client } from '../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import { MOVES_OUT_SESSION } from './settings.ts';

/** Milliseconds for an answer. */
const ANSWER = 20_000;

/** Milliseconds after which the server gives a statement up, so that the connection is not lost with it. */
const STATEMENT = 15_000;

/**
 * Milliseconds after which the server ends a silent session, and with it the lock: so the next process takes over as well
 * if this one's machine vanished. While the broker is waited for, {@link HEARTBEAT} keeps it.
 */
const SILENCE = 4_000;
const HEARTBEAT = 1_000;

/** Milliseconds between attempts at the lock. */
const EVERY = 500;

/**
 * Runs `work` on a connection that holds the lock of publishing, one at a time in a database, as soon as it is free. What
 * has been published is noted on this connection, so whoever has lost the lock notes nothing.
 *
 * @param work is to end soon after its signal is aborted.
 * @param url of PostgreSQL itself: the lock belongs to a session.
 */
export async function whilePublisher(
  url: string,
  signal: AbortSignal,
  work: (client: Client, held: AbortSignal) => Promise<void>,
): Promise<void> {
  const client = new Client({ ...connectionConfig(url, MOVES_OUT_SESSION), query_timeout: ANSWER });
  const lost = new AbortController();
  client.once('error', (error) => lost.abort(error));
  client.once('end', () => lost.abort(new Error('the database closed the connection')));
  let beat: NodeJS.Timeout | undefined;
  try {
    await client.connect();
    await client.exec(
      sql.type(NO_ROWS)`select set_config('idle_session_timeout', ${String(SILENCE)}, false),
        set_config('statement_timeout', ${String(STATEMENT)}, false)`,
    );
    if (await awaitLock(client, ADVISORY_LOCKS.movesOut, { signal, every: EVERY })) {
      beat = setInterval(
        () => client.exec(sql.type(NO_ROWS)`select`).catch((error) => lost.abort(error)),
        HEARTBEAT,
      );
      await work(client, AbortSignal.any([signal, lost.signal]));
    }
  } finally {
    clearInterval(beat);
    // At once, since who does not answer does not take leave either.
    client.connection.stream.destroy();
  }
}
