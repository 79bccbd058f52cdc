import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Client } from '../../db/timescale/connections/client.ts';

export interface DatabaseWatch {
  /** Closes the connection; the database is no concern here from now on. */
  stop(): Promise<void>;
}

export interface WatchOptions {
  /** Starts the server if it is not running, and reconnects. */
  restart(): Promise<Client>;
  log: Logger;
  /** Called when further attempts are useless. */
  onGivenUp(error: AppError): void;
}

/**
 * Restarts the embedded database when it ends unexpectedly: the connection held for the life of the process notices at
 * once. All others reconnect by themselves, since the address stays. A server that ends again and again, or cannot be
 * started, is given up.
 *
 * watching -> (connection lost) restarting -> watching ... | given up
 */
export function watchDatabase(client: Client, { restart, log, onGivenUp }: WatchOptions): DatabaseWatch {
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

/** Unexpected ends before it is given up. */
const MOST_ENDS = 5;
const WITHIN = 600_000;

/** Milliseconds for the start; `restart` itself waits for a recovery under way. */
const PATIENCE = 6_000;
const RETRY_AFTER = 200;
