import type { Logger } from 'pino';
import { migrate, readMigrations } from '../../db/timescale/schema/migrate.ts';
import { requireReachable } from '../../platform/runtime/database.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import type { StandaloneConfig } from './config.ts';
import { startEmbeddedDatabase } from './database.ts';
import type { Services } from './services.ts';

export interface Standalone extends Services {
  databaseUrl: string;
}

/**
 * Starts everything in this process: the embedded database (or migrates the one at DATABASE_URL), ingestion with its
 * broker (or from the broker at MQTT_URL), the handheld gateway and the API.
 *
 * @param durable false for disposable data.
 * @throws AppError naming the setting at fault.
 */
export async function startStandalone(
  config: StandaloneConfig,
  log: Logger,
  lifecycle: Lifecycle,
  durable = true,
): Promise<Standalone> {
  // The database comes up while this process loads what is to use it.
  const [databaseUrl, { startServices }] = await Promise.all([
    config.DATABASE_URL === null
      ? startEmbeddedDatabase({ data: config.TAGTRAIL_DATA, durable }, log, lifecycle)
      : migrated(config.DATABASE_URL, log),
    import('./services.ts'),
  ]);
  return {
    ...(await startServices({ ...config, DATABASE_URL: databaseUrl }, log, lifecycle)),
    databaseUrl,
  };
}

async function migrated(url: string, log: Logger): Promise<string> {
  await requireReachable(url);
  await migrate(url, readMigrations(), { say: (what) => log.info(what) });
  return url;
}
