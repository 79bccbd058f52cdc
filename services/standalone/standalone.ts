import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { migrate } from '../../db/timescale/migrate.ts';
import { startApi } from '../api/start.ts';
import { startGateway } from '../handheld-gateway/start.ts';
import { startEmbeddedIngest, startSubscribedIngest } from '../mqtt-ingest/ingest.ts';
import { placeOfBroker } from '../mqtt-ingest/source/broker-address.ts';
import { requireReachable } from '../shared/runtime/database.ts';
import type { Check } from '../shared/runtime/health.ts';
import type { Lifecycle } from '../shared/runtime/lifecycle.ts';
import type { StandaloneConfig } from './config.ts';
import { startEmbeddedDatabase } from './database.ts';
import { startRecomputations } from './recomputations.ts';

/** Where everything in one process is reached. */
export interface Standalone {
  apiUrl: string;
  mqttUrl: string;
  handheldUrl: string;
  databaseUrl: string;
}

/**
 * Starts everything in this process: the embedded database (or migrates the one that DATABASE_URL names), ingestion
 * with its broker (or from the broker that MQTT_URL names), the handheld gateway and the API.
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
      ? await startEmbeddedDatabase({ data: config.TAGTRAIL_DATA, durable }, log, lifecycle)
      : await migrated(config.DATABASE_URL);
  const parts = { ...config, DATABASE_URL: databaseUrl };
  // Of ingestion, served with the API's: there is no INGEST_PORT here.
  const registry = new Registry();
  const { url: mqttUrl, checks } = await startIngest(parts, log, lifecycle, registry);
  const { url: handheldUrl } = await startGateway(parts, log, lifecycle);
  const { url: apiUrl } = await startApi(parts, log, lifecycle, { registry, checks });
  await startRecomputations(databaseUrl, log, lifecycle);
  return { apiUrl, mqttUrl, handheldUrl, databaseUrl };
}

/** @returns where readers publish, without credentials, and what must be there for that. */
async function startIngest(
  config: StandaloneConfig & { DATABASE_URL: string },
  log: Logger,
  lifecycle: Lifecycle,
  registry: Registry,
): Promise<{ url: string; checks: Record<string, Check> }> {
  const { MQTT_URL } = config;
  if (MQTT_URL !== null) {
    const { subscriber } = await startSubscribedIngest(
      { ...config, MQTT_URL },
      config.API_PORT,
      log,
      lifecycle,
      { metrics: registry },
    );
    return { url: placeOfBroker(MQTT_URL), checks: { broker: () => subscriber.requireConnected() } };
  }
  const { port } = await startEmbeddedIngest(config, log, lifecycle, registry);
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return { url: `mqtt://${host}:${port}`, checks: {} };
}

async function migrated(url: string): Promise<string> {
  await requireReachable(url);
  await migrate(url);
  return url;
}
