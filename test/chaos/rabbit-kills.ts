import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { repeat } from '../../platform/runtime/repeat.ts';
import type { TestDatabase } from '../support/database.ts';
import { RabbitCluster } from '../support/rabbitmq.ts';
import { until } from '../support/subscribed-ingest.ts';
import { type Findings, findFaults } from './findings.ts';
import { furnish } from './furnish.ts';
import { IngestProgram } from './ingest-program.ts';
import type { KillOptions } from './kill-options.ts';
import { ASSETS } from './options.ts';
import { Publishers } from './publishers.ts';
import { placeWitness, roundRobin, stopWhenAllIsTaken, witnessed } from './rabbit-witness.ts';
import { randomFrom } from './random-from.ts';
import { Tap } from './tap.ts';
import { readerName, type Traffic } from './traffic.ts';
import { unlessAborted } from './unless-aborted.ts';

const READERS = 8;

/** Messages of a reader that are under way at once, and how many reads all may be ahead of ingestion. */
const LANES = 8;
const AHEAD = 20_000;

/** Milliseconds. */
const LOOK_EVERY = 50;

/** Messages that are recorded while a node is away, before it comes back. */
const SHOWN_ALIVE = 10;

/** Share of the messages before which the last kill comes. */
const LAST_KILL = 0.95;

export interface RabbitRun {
  findings: Findings;
  version: string;
  seconds: number;
  processKills: number;
  nodeKills: number;
  readerDisconnects: number;
}

/**
 * Readers publish to a cluster of RabbitMQ, and several processes of ingestion take from its queues: a process and a node are
 * killed in turn, another each time.
 */
export async function runRabbitKills(
  database: TestDatabase,
  options: KillOptions,
  signal: AbortSignal,
  { nodes, ...oddities }: RabbitSetting,
): Promise<RabbitRun> {
  await using stops = new AsyncDisposableStack();
  const traffic: Traffic = {
    seed: options.seed,
    start: (Date.now() - 5 * 86_400_000) * 1_000,
    readers: READERS,
    assets: ASSETS,
    messages: options.messages,
    readsPerMessage: options.readsPerMessage,
    ...oddities,
  };
  await furnish(database, traffic);
  const readers = Array.from({ length: READERS }, (_, each) => readerName(each));
  const cluster = await RabbitCluster.start(nodes, readers);
  stops.defer(() => cluster.remove());
  const version = await placeWitness(cluster);
  const ingest = Array.from({ length: options.processes }, (_, each) =>
    IngestProgram.subscribed('mqtt://rabbitmq', `ingest-${each}`, {
      DATABASE_URL: database.url,
      AMQP_URL: cluster.urls,
    }),
  );
  for (const program of ingest) {
    await program.start();
    stops.defer(() => program.kill());
  }
  await until(async () => {
    const bound = await Promise.all(ingest.map((program) => program.figure('subscriptions').catch(() => 0)));
    return bound.reduce((sum, each) => sum + each, 0) === READERS;
  });
  const away = new Set<number>();
  const link = await roundRobin(cluster, away);
  stops.defer(() => link.close());
  const publishers = await Publishers.connect(traffic, link.port, 20);
  stops.defer(() => publishers.end());
  const setUp = { database, options, traffic, cluster, ingest, away, publishers };
  return { ...(await unlessAborted(signal, () => killInTurn(setUp))), version };
}

export interface RabbitSetting extends Pick<Traffic, 'timelessEvery' | 'undecodableEvery' | 'refusedEvery'> {
  nodes: number;
}

interface SetUp {
  database: TestDatabase;
  options: KillOptions;
  traffic: Traffic;
  cluster: RabbitCluster;
  ingest: readonly IngestProgram[];
  /** Nodes that no connection is led to. */
  away: Set<number>;
  publishers: Publishers;
}

async function killInTurn({
  database,
  options,
  traffic,
  cluster,
  ingest,
  away,
  publishers,
}: SetUp): Promise<Omit<RabbitRun, 'version'>> {
  const since = performance.now();
  // As many messages as the next two kills take, so that each comes while readers publish.
  const counts = { processKills: 0, nodeKills: 0 };
  const isReleased = (index: number) =>
    index * options.kills < (counts.processKills + counts.nodeKills + 2) * options.messages;
  const publishing = publishAll(database, publishers, { traffic, isReleased });
  const random = randomFrom(options.seed);
  for (let kill = 0; kill < options.kills; kill++) {
    const share = ((kill + random()) / options.kills) * LAST_KILL;
    await until(async () => (await recorded(database)) >= share * options.messages);
    const turn = Math.floor(kill / 2);
    if (kill % 2 === 0) {
      const program = ingest[turn % ingest.length] as IngestProgram;
      await program.kill();
      await program.startUntilReady();
      counts.processKills += 1;
    } else {
      const node = turn % cluster.nodes.length;
      away.add(node);
      await cluster.nodes[node]?.kill();
      if (cluster.nodes.length > 1) {
        // The others go on without it.
        const before = await recorded(database);
        await until(async () => (await recorded(database)) > before + SHOWN_ALIVE);
      }
      await cluster.nodes[node]?.start();
      away.delete(node);
      counts.nodeKills += 1;
    }
  }
  await publishing;
  const seconds = (performance.now() - since) / 1_000;
  await stopWhenAllIsTaken(cluster, ingest);
  const tap = new Tap();
  for (const index of await witnessed(cluster)) {
    tap.handedOverAsNew.set(index, (tap.handedOverAsNew.get(index) ?? 0) + 1);
  }
  const findings = await inTransaction(database.pool, (client) =>
    findFaults(client, { traffic, tap, publishers, republished: 0, feed: null, webhooks: null }),
  );
  return { findings, seconds, ...counts, readerDisconnects: publishers.disconnects };
}

async function publishAll(
  database: TestDatabase,
  publishers: Publishers,
  { traffic, isReleased }: { traffic: Traffic; isReleased(index: number): boolean },
): Promise<void> {
  const { messages, readers } = traffic;
  const ahead = AHEAD / traffic.readsPerMessage;
  const next = Array.from({ length: readers }, (_, reader) => reader);
  let known = 0;
  const looking = repeat(
    LOOK_EVERY,
    async () => {
      known = await recorded(database);
    },
    (error) => console.error(error),
  );
  const lane = async (reader: number) => {
    for (;;) {
      const index = next[reader] as number;
      if (index >= messages) {
        return;
      }
      next[reader] = index + readers;
      await until(() => isReleased(index) && index < known + ahead);
      await publishers.publish(index);
    }
  };
  await Promise.all(Array.from({ length: LANES * readers }, (_, one) => lane(one % readers)));
  await looking.stop();
}

/** How many messages ingestion has recorded, repetitions counted. */
async function recorded(database: TestDatabase): Promise<number> {
  const [row] = await database.rows<{ sum: string | null }>('select sum(messages) from reader_counters');
  return Number(row?.sum ?? 0);
}
