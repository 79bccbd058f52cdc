import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { type ServerProcess, startServer } from '../processes.ts';
import { type Mosquitto, startMosquitto } from './mosquitto.ts';
import { type BenchSite, READERS } from './site.ts';

export type SourceName = 'mosquitto' | 'embedded';

/** Ingestion on a site, by both ways into it; and a connection to look at what it does. */
export interface Installation {
  site: BenchSite;
  client: pg.Client;
  /** Where to publish, and the processes that ingestion consists of, without the database. */
  sources: Partial<Record<SourceName, { port: number; pids: number[] }>>;
  /** Of the process that subscribes at mosquitto. */
  subscriber: ServerProcess | null;
  /** Starts another in the place of a subscriber that was killed. */
  startSubscriber(): Promise<ServerProcess>;
  stop(): Promise<void>;
}

/** @param databaseUrl where ingestion finds the database, if not at the site's own address. */
export async function install(
  site: BenchSite,
  names: readonly SourceName[],
  databaseUrl = site.url,
): Promise<Installation> {
  const client = new pg.Client(connectionConfig(site.url, 'tagtrail bench'));
  await client.connect();
  const installation: Installation = {
    site,
    client,
    sources: {},
    subscriber: null,
    startSubscriber: async () => {
      throw new Error('there is no broker to subscribe at');
    },
    stop: async () => {
      await installation.subscriber?.stop();
      await embedded?.stop();
      await mosquitto?.stop();
      await client.end();
    },
  };
  let mosquitto: Mosquitto | null = null;
  let embedded: ServerProcess | null = null;
  if (names.includes('mosquitto')) {
    const broker = await startMosquitto();
    mosquitto = broker;
    installation.startSubscriber = () =>
      startServer('servers/ingest-subscribed.ts', {
        DATABASE_URL: databaseUrl,
        MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
        MQTT_CLIENT_ID: 'bench',
        INGEST_PORT: '0',
      });
    installation.subscriber = await installation.startSubscriber();
    installation.sources.mosquitto = { port: broker.port, pids: [broker.pid, installation.subscriber.pid] };
    await subscribed(installation.subscriber);
  }
  if (names.includes('embedded')) {
    embedded = await startServer('servers/ingest-embedded.ts', { DATABASE_URL: databaseUrl });
    installation.sources.embedded = { port: Number(new URL(embedded.url).port), pids: [embedded.pid] };
  }
  return installation;
}

/** Waits until the process has subscribed to the topics of all readers, so that nothing is published past it. */
export async function subscribed({ url }: ServerProcess): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (metrics.includes(`\ntagtrail_ingest_subscriptions ${READERS}\n`)) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
