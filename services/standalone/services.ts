import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { LargeBodies } from '../../platform/http/large-bodies.ts';
import type { Check } from '../../platform/runtime/health.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import type { ServerTls } from '../../platform/runtime/server-tls.ts';
import { startTls } from '../../platform/runtime/start-tls.ts';
import { startWorkThreads, type WorkThreads } from '../../platform/runtime/work-threads.ts';
import { startApi } from '../api/entry.ts';
import { startConsole } from '../console/start.ts';
import { startGateway } from '../handheld-gateway/start.ts';
import { placeOfBroker, startEmbeddedIngest, startSubscribedIngest } from '../mqtt-ingest/entry.ts';
import { startJobs } from '../worker/start-jobs.ts';
import type { StandaloneConfig } from './config.ts';

export type ServicesConfig = StandaloneConfig & { DATABASE_URL: string; MIGRATE_DATABASE_URL: string };

export interface Services {
  apiUrl: string;
  mqttUrl: string;
  /** Null where readers must have certificates. */
  pushUrl: string | null;
  handheldUrl: string;
  consoleUrl: string;
}

/**
 * Starts every service on a migrated database: the worker's jobs, ingestion with its broker (or from the broker at MQTT_URL),
 * the handheld gateway, the API and the console.
 *
 * @throws AppError naming the setting at fault.
 */
export async function startServices(
  config: ServicesConfig,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<Services> {
  // Ingestion's and jobs' metrics, served with the API's: there is no INGEST_PORT or WORKER_PORT here.
  const registry = new Registry();
  const tls = await startTls(config, { log, lifecycle });
  const threads = await startWorkThreads(log, lifecycle);
  const jobs = await startJobs(config, { log, lifecycle, metrics: registry });
  const {
    url: mqttUrl,
    pushUrl,
    checks,
    notices,
  } = await startIngest(config, log, lifecycle, {
    registry,
    threads,
    tls,
  });
  const largeBodies = new LargeBodies(threads);
  const { url: handheldUrl } = await startGateway(config, log, lifecycle, {
    largeBodies,
    tls,
  });
  const { url: apiUrl } = await startApi(config, log, lifecycle, {
    ...{ registry, largeBodies, tls },
    checks: { ...checks, ...jobs.checks },
    notices: { ...notices, ...jobs.notices },
  });
  // The port may have been taken from those that are free.
  const HANDHELD_PORT = Number(new URL(handheldUrl).port);
  const { url: consoleUrl } = await startConsole({ ...config, HANDHELD_PORT }, log, lifecycle, {
    ...{ mqttUrl, pushUrl },
    largeBodies,
    tls,
  });
  return { apiUrl, mqttUrl, pushUrl, handheldUrl, consoleUrl };
}

interface StartedIngest extends Pick<Services, 'pushUrl'> {
  /** The broker's, without credentials. */
  url: string;
  /** The checks of readiness. */
  checks: Readonly<Record<string, Check>>;
  notices: Readonly<Record<string, Check>>;
}

async function startIngest(
  config: ServicesConfig,
  log: Logger,
  lifecycle: Lifecycle,
  { registry: metrics, ...parts }: { registry: Registry; threads: WorkThreads; tls: ServerTls | null },
): Promise<StartedIngest> {
  const { MQTT_URL } = config;
  if (MQTT_URL !== null) {
    const subscribed = { ...config, MQTT_URL };
    const { checks, notices, pushUrl } = await startSubscribedIngest(
      subscribed,
      config.API_PORT,
      log,
      lifecycle,
      { metrics, ...parts },
    );
    return { url: placeOfBroker(MQTT_URL), pushUrl, checks, notices };
  }
  const started = await startEmbeddedIngest(config, log, lifecycle, { metrics, ...parts });
  const { port, pushUrl, checks, notices } = started;
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return { url: `${parts.tls === null ? 'mqtt' : 'mqtts'}://${host}:${port}`, pushUrl, checks, notices };
}
