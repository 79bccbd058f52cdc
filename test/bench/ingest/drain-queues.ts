import type pg from 'pg';
import { backendsOf, processorTime, timeSince, timesOf } from '../../support/processor-time.ts';
import type { RabbitCluster } from '../../support/rabbitmq.ts';
import { committed, untilCommitted } from './counters.ts';
import { preparePublishers } from './publish.ts';
import { QueueTakers } from './queue-takers.ts';
import { type BenchSite, onServer, placesOf, READERS } from './site.ts';

/** Messages of a reader that await their acknowledgement, at the most. */
const WINDOW = 50;

/** Shares of the messages between which it is measured: what was read ahead, and what one process has left at the end, are not. */
const FROM = 0.2;
const TO = 0.9;

export interface QueueBench {
  site: BenchSite;
  cluster: RabbitCluster;
  client: pg.Client;
}

export interface Draining {
  /** Numbers of ingest processes. */
  processes: readonly number[];
  /** Of one core, that each of them has; null for as much as there is. */
  share: number | null;
  /** The working tree whose ingestion it is. */
  tree: string;
  readsPerMessage: number;
  /** Each time. */
  reads: number;
}

export interface Drained {
  perSecond: number;
  /** Microseconds of processor time a read. */
  ingest: number;
  database: number;
  broker: number;
}

/**
 * How fast each number of processes takes what waits in the queues. They are those of the largest number, of which some are
 * stopped: what V8 compiles at first, whose time is a multiple of what is measured, is done.
 */
export async function drainQueues(bench: QueueBench, draining: Draining): Promise<Map<number, Drained>> {
  const { site, cluster } = bench;
  const descending = draining.processes.toSorted((a, b) => b - a);
  const takers = await QueueTakers.start({
    site,
    cluster,
    tree: draining.tree,
    processes: descending[0] ?? 1,
  });
  try {
    await drain(bench, takers, draining);
    takers.hold(draining.share);
    const results = new Map<number, Drained>();
    for (const processes of descending) {
      await takers.reduceTo(processes);
      results.set(processes, await drain(bench, takers, draining));
    }
    return results;
  } finally {
    await takers.stop();
  }
}

async function drain(
  bench: QueueBench,
  { pids }: QueueTakers,
  { readsPerMessage, reads }: Draining,
): Promise<Drained> {
  const { client, cluster } = bench;
  const messages = Math.ceil(reads / readsPerMessage / READERS) * READERS;
  const before = await committed(client);
  await onServer(bench.site.url, async (blocking) => {
    await blocking.query('begin');
    // Nothing is recorded before everything waits.
    await blocking.query('lock table scan_events in exclusive mode');
    await fill(bench, readsPerMessage, messages);
    await blocking.query('rollback');
  });
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
  const read = end.reads - start.reads;
  return {
    perSecond: (read * 1_000) / (end.at - start.at),
    ingest: ((end.ingest - start.ingest) * 1e6) / read,
    database: (database * 1e6) / read,
    broker: ((end.broker - start.broker) * 1e6) / read,
  };
}

async function fill(
  { site, cluster, client }: QueueBench,
  readsPerMessage: number,
  messages: number,
): Promise<void> {
  const since = Date.now();
  const publishers = await preparePublishers({
    port: cluster.nodes[0]?.mqttPort ?? 0,
    window: WINDOW,
    rate: null,
    traffic: {
      readers: Array.from({ length: READERS }, (_, reader) => reader),
      messages,
      readsPerMessage,
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

async function backends(client: pg.Client): Promise<number[]> {
  const names = ['tagtrail ingest', 'tagtrail sealer'];
  return (await Promise.all(names.map((name) => backendsOf(client, name)))).flat();
}
