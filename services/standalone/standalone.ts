import type { Logger } from 'pino';
import { migrate } from '../../db/timescale/migrate.ts';
import { startApi } from '../api/start.ts';
import { startGateway } from '../handheld-gateway/start.ts';
import { startEmbeddedIngest } from '../mqtt-ingest/ingest.ts';
import { requireReachable } from '../shared/runtime/database.ts';
import type { Lifecycle } from '../shared/runtime/lifecycle.ts';
import type { StandaloneConfig } from './config.ts';
import { startEmbeddedDatabase } from './database.ts';

/** Where everything in one process is reached. */
export interface Standalone {
  apiUrl: string;
  mqttUrl: string;
  handheldUrl: string;
  databaseUrl: string;
}

/**
 * Starts everything in this process: the embedded database (or migrates the one that DATABASE_URL names), ingestion
 * with its broker, the handheld gateway and the API.
 *
 * @param durable false for data that is thrown away.
 * @throws AppError naming the setting at fault.
 */
export async function startStandalone(
  config: StandaloneConfig,
  log: Logger,
  lifecycle: Lifecycle,
  durable = true,
): Promise<Standalone> {
  const databaseUrl =
    config.DATABASE_URL === null
      ? await startEmbeddedDatabase({ data: config.TAGTRAIL_DATA, durable }, lifecycle)
      : await migrated(config.DATABASE_URL);
  const parts = { ...config, DATABASE_URL: databaseUrl };
  const { port } = await startEmbeddedIngest(parts, log, lifecycle);
  const { url: handheldUrl } = await startGateway(parts, log, lifecycle);
  const { url: apiUrl } = await startApi(parts, log, lifecycle);
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return { apiUrl, mqttUrl: `mqtt://${host}:${port}`, handheldUrl, databaseUrl };
}

async function migrated(url: string): Promise<string> {
  await requireReachable(url);
  await migrate(url);
  return url;
}
