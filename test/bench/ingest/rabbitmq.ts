import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { backendsOf, processorTime, timeSince, timesOf } from '../../support/processor-time.ts';
import { RabbitCluster } from '../../support/rabbitmq.ts';
import { show, spreadOf } from '../../support/statistics.ts';
import { interleaved } from '../interleaved.ts';
import { type ServerProcess, startServer } from '../processes.ts';
import { committed, untilCommitted } from './counters.ts';
import type { IngestOptions } from './options.ts';
import { preparePublishers } from './publish.ts';
import { type BenchSite, createSite, onServer, placesOf, READERS, readerName } from './site.ts';

const NODES = 3;

/** Of ingestion. */
const PROCESSES = [1, 2, 4];

const READS_PER_MESSAGE = 50;

/** Messages of a reader that await their acknowledgement, at the most. */
const WINDOW = 50;

/** Shares of the messages between which it is measured: what a process does once, and what one has left at the end, is not. */
const FROM = 0.2;
const TO = 0.9;

interface Drained {
  perSecond: number;
  /** Microseconds of processor time a read. */
  ingest: number;
  database: number;
  broker: number;
}

/** What waits in the queues of RabbitMQ, three nodes, is taken by one process of ingestion, by two and by four. */
export async function benchRabbitmq(serverUrl: string, options: IngestOptions): Promise<void> {
  const site = await createSite(serverUrl, options.history[0] ?? 1e5);
  const readers = Array.from({ length: READERS }, (_, reader) => readerName(reader));
  const cluster = await RabbitCluster.start(NODES, readers);
  try {
    // The first declares and binds the queues.
    const first = await startIngest(site, cluster, 0);
    await untilBound([first]);
    await first.stop();
    const results = await onServer(site.url, (client) =>
      interleaved(
        options.repetitions,
        Object.fromEntries(
          PROCESSES.map((processes) => [
            `${processes}`,
            () => drain({ site, cluster, client }, processes, options.count),
          ]),
        ),
      ),
    );
    console.log(`\nFrom queues of RabbitMQ, ${NODES} nodes, ${READS_PER_MESSAGE} a message`);
    for (const [processes, runs] of Object.entries(results)) {
      const of = (pick: (run: Drained) => number, digits: number) => show(spreadOf(runs.map(pick)), digits);
      console.log(`  ${processes} of ingestion: reads/s ${of(({ perSecond }) => perSecond, 0)}`);
      console.log(
        `    us a read: Node.js ${of(({ ingest }) => ingest, 1)}   database ${of(({ database }) => database, 1)}   RabbitMQ ${of(({ broker }) => broker, 1)}`,
      );
    }
  } finally {
    await cluster.remove();
    await site.drop();
  }
}

interface Bench {
  site: BenchSite;
  cluster: RabbitCluster;
  client: pg.Client;
}

async function drain({ site, cluster, client }: Bench, processes: number, reads: number): Promise<Drained> {
  const messages = Math.ceil(reads / READS_PER_MESSAGE / READERS) * READERS;
  const before = await committed(client);
  await fill({ site, cluster, client }, messages);
  const ingest = await Promise.all(
    Array.from({ length: processes }, (_, index) => startIngest(site, cluster, index)),
  );
  const pids = ingest.map(({ pid }) => pid);
  const spent = async () => ({
    at: performance.now(),
    reads: (await committed(client)).recorded,
    ingest: processorTime(pids),
    backends: timesOf(await backends(client)),
    broker: processorTime(cluster.pids),
  });
  await untilCommitted(client, before.messages + Math.ceil(FROM * messages));
  const start = await spent();
  await untilCommitted(client, before.messages + Math.ceil(TO * messages));
  const end = await spent();
  const database = timeSince(start.backends, await backends(client));
  await untilCommitted(client, before.messages + messages);
  await Promise.all(ingest.map((process) => process.stop()));
  const read = end.reads - start.reads;
  return {
    perSecond: (read * 1_000) / (end.at - start.at),
    ingest: ((end.ingest - start.ingest) * 1e6) / read,
    database: (database * 1e6) / read,
    broker: ((end.broker - start.broker) * 1e6) / read,
  };
}

/** Readers publish while nobody takes it. */
async function fill({ site, cluster, client }: Bench, messages: number): Promise<void> {
  const since = Date.now();
  const publishers = await preparePublishers({
    port: cluster.nodes[0]?.mqttPort ?? 0,
    window: WINDOW,
    rate: null,
    traffic: {
      readers: Array.from({ length: READERS }, (_, reader) => reader),
      messages,
      readsPerMessage: READS_PER_MESSAGE,
      assets: site.assets,
      late: 0,
      poison: 0,
      moves: 0.02,
      places: await placesOf(client),
      start: since,
      seed: since,
    },
  });
  await publishers.start();
}

function startIngest({ url }: BenchSite, cluster: RabbitCluster, index: number): Promise<ServerProcess> {
  return startServer('servers/ingest-subscribed.ts', {
    DATABASE_URL: url,
    MQTT_URL: 'mqtt://rabbitmq',
    AMQP_URL: cluster.urls,
    MQTT_CLIENT_ID: `bench-${index}`,
    INGEST_PORT: '0',
  });
}

/** Resolves when the readers are divided among the processes. */
async function untilBound(ingest: readonly ServerProcess[]): Promise<void> {
  for (;;) {
    const figures = await Promise.all(
      ingest.map(async ({ url }) => {
        const metrics = await (await fetch(`${url}/metrics`)).text();
        return Number(/^tagtrail_ingest_subscriptions (.+)$/m.exec(metrics)?.[1]);
      }),
    );
    if (figures.reduce((sum, each) => sum + each, 0) === READERS) {
      return;
    }
    await pause(20);
  }
}

async function backends(client: pg.Client): Promise<number[]> {
  const names = ['tagtrail ingest', 'tagtrail sealer'];
  return (await Promise.all(names.map((name) => backendsOf(client, name)))).flat();
}
