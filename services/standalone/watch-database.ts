import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Client } from '../../db/timescale/connections/client.ts';

export interface DatabaseWatch {
  /** Ends the connection; what happens to the database from now on is nobody's business here. */
  stop(): Promise<void>;
}

export interface WatchOptions {
  /** Starts the server if it is not running, and opens the connection anew. */
  restart(): Promise<Client>;
  log: Logger;
  /** Told when it is of no use to try any more. */
  onGivenUp(error: AppError): void;
}

/**
 * Has the embedded database started again when it ends although nobody here stopped it: the connection that is held for
 * as long as the process lives tells at once. Everything else connects anew by itself, since the address stays. One
 * that ends again and again, or cannot be started, is given up.
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

/** Ends within so many milliseconds that are not an accident any more. */
const MOST_ENDS = 5;
const WITHIN = 600_000;

/** Milliseconds in which it must have been started; a recovery under way is waited for by `restart` itself. */
const PATIENCE = 6_000;
const RETRY_AFTER = 200;
