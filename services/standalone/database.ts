import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AppError, messageOf } from '../../base/errors.ts';
import { ADVISORY_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { elect } from '../../db/timescale/connections/elected.ts';
import { type EmbeddedDatabase, startEmbedded } from '../../db/timescale/embedded/server.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { letProcessesIn } from '../../db/timescale/schema/let-processes-in.ts';
import { migrate } from '../../db/timescale/schema/migrate.ts';
import { readMigrations } from '../../db/timescale/schema/migrations.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';

interface DatabaseWatch {
  /** Closes the connection; the database is no concern here from now on. */
  stop(): Promise<void>;
}

interface WatchOptions {
  /** Starts the server if it is not running, and reconnects. */
  restart(): Promise<Client>;
  log: Logger;
  /** Called when further attempts are useless. */
  onGivenUp(error: AppError): void;
}

/** Unexpected ends before it is given up. */
const MOST_ENDS = 5;

const WITHIN = 600_000;

/** Milliseconds for the start; `restart` itself waits for a recovery under way. */
const PATIENCE = 6_000;

const RETRY_AFTER = 200;

export interface EmbeddedOptions {
  data: string;
  durable: boolean;
}

export interface DatabaseUrls {
  /** With the user who migrates. */
  ownerUrl: string;
  processUrl: string;
}

/**
 * Starts the embedded database in the data folder, or joins its users, and migrates it. It is stopped last, by the last
 * process that uses it, and restarted if it ends before.
 *
 * @throws AppError `unavailable` if it cannot be started, or if another process runs on the same folder.
 */
export async function startEmbeddedDatabase(
  { data, durable }: EmbeddedOptions,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<DatabaseUrls> {
  let server: EmbeddedDatabase = await lifecycle.start(
    'embedded database',
    () => startEmbedded({ data, durable }),
    () => server.stop(),
  );
  const url = withDatabase(server.url, EMBEDDED_DATABASE);
  await createDatabase(url);
  const restart = async () => {
    const again = await startEmbedded({ data, durable, port: Number(new URL(url).port) });
    server = again;
    if (withDatabase(again.url, EMBEDDED_DATABASE) !== url) {
      throw new AppError('unavailable', 'Another process has started it at another port');
    }
    return occupy(url, data);
  };
  const occupied = await occupy(url, data);
  await lifecycle.start(
    'data folder',
    () => watchDatabase(occupied, { restart, log, onGivenUp: (error) => lifecycle.fail(error) }),
    (watch) => watch.stop(),
  );
  await migrate(url, readMigrations(), { say: (what) => log.info(what) });
  return { ownerUrl: url, processUrl: await letProcessesIn(url) };
}

export const EMBEDDED_DATABASE = 'tagtrail';

/** Holds a lock as long as this process lives, so that no second one runs on the same data, even while this one is suspended. */
async function occupy(url: string, data: string): Promise<Client> {
  const elected = await elect(url, ADVISORY_LOCKS.occupation, {
    ...{ name: 'tagtrail', isOnce: true, silence: null },
  });
  if (elected === null) {
    throw new AppError(
      'unavailable',
      `tagtrail is already running on TAGTRAIL_DATA ${data}; stop it, or set TAGTRAIL_DATA to another folder`,
    );
  }
  return elected.client;
}

/**
 * Restarts the embedded database when it ends unexpectedly: the connection held for the life of the process notices at
 * once. All others reconnect by themselves, since the address stays. A server that ends again and again, or cannot be
 * started, is given up.
 *
 * watching -> (connection lost) restarting -> watching ... | given up
 */
function watchDatabase(client: Client, { restart, log, onGivenUp }: WatchOptions): DatabaseWatch {
  let current = client;
  let isStopped = false;
  let restarting = Promise.resolve();
  const ends: number[] = [];

  const bringBack = async (): Promise<void> => {
    const began = performance.now();
    ends.push(began);
    if (ends.filter((end) => began - end < WITHIN).length > MOST_ENDS) {
      throw new Error(`it ended ${MOST_ENDS + 1} times within ${WITHIN / 60_000} minutes`);
    }
    log.error('Embedded database ended; restarting it');
    for (;;) {
      try {
        current = await restart();
        break;
      } catch (error) {
        if (isStopped || performance.now() - began > PATIENCE) {
          throw error;
        }
        await pause(RETRY_AFTER);
      }
    }
    log.warn({ milliseconds: Math.round(performance.now() - began) }, 'Embedded database is back');
    isStopped ? await current.end() : watch();
  };
  const watch = () => {
    current.once('end', () => {
      if (!isStopped) {
        restarting = bringBack().catch((error: unknown) => {
          onGivenUp(new AppError('unavailable', explain(error), { cause: error }));
        });
      }
    });
  };
  watch();
  return {
    stop: async () => {
      isStopped = true;
      await restarting;
      await current.end();
    },
  };
}

function explain(error: unknown): string {
  return (
    `The embedded database has ended and is not started again: ${messageOf(error)}. ` +
    'See server.log in the folder postgres of TAGTRAIL_DATA, free memory and disk space, and start tagtrail again; ' +
    'what was acknowledged is in the database'
  );
}
