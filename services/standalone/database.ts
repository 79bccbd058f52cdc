import type { Logger } from 'pino';
import { AppError } from '../../base/errors.ts';
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
import { watchDatabase } from './watch-database.ts';

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
