import { fileURLToPath } from 'node:url';
import { RabbitCluster } from '../../support/rabbitmq.ts';
import { show, spreadOf } from '../../support/statistics.ts';
import { withDatabaseShare } from './database-share.ts';
import { type Drained, drainQueues, type QueueBench } from './drain-queues.ts';
import type { IngestOptions } from './options.ts';
import { createSite, onServer, READERS, readerName } from './site.ts';

const NODES = 3;

/**
 * What waits in the queues of RabbitMQ, three nodes, is taken by several numbers of ingest processes, at each size of a message.
 * On one machine they stand for machines where each has a share of a core, and the database another.
 */
export async function benchRabbitmq(serverUrl: string, options: IngestOptions): Promise<void> {
  const site = await createSite(serverUrl, options.history[0] ?? 1e5);
  const readers = Array.from({ length: READERS }, (_, reader) => readerName(reader));
  const cluster = await RabbitCluster.start(NODES, readers);
  try {
    const results = await onServer(site.url, (client) =>
      withDatabaseShare(client, options.databaseShare, () => inRounds({ site, cluster, client }, options)),
    );
    const shareOf = (share: number | null) => (share === null ? 'what there is' : `${share} of a core`);
    console.log(
      `\nFrom queues of RabbitMQ, ${NODES} nodes; a process of ingestion has ${shareOf(options.processShare)}, the database ${shareOf(options.databaseShare)}`,
    );
    for (const [name, runs] of [...results].toSorted()) {
      report(name, runs);
    }
  } finally {
    await cluster.remove();
    await site.drop();
  }
}

async function inRounds(
  bench: QueueBench,
  { reads, processes, count, repetitions, processShare: share, against }: IngestOptions,
): Promise<Map<string, Drained[]>> {
  const trees = against === null ? { '': HERE } : { 'here, ': HERE, 'there, ': against };
  const results = new Map<string, Drained[]>();
  for (let round = 0; round < repetitions; round++) {
    const inTurn = Object.entries(trees);
    for (const [name, tree] of round % 2 === 0 ? inTurn : inTurn.toReversed()) {
      for (const readsPerMessage of reads) {
        const all = readsPerMessage === 1 ? count / 4 : count;
        const drained = await drainQueues(bench, { processes, share, tree, readsPerMessage, reads: all });
        for (const [number, run] of drained) {
          const title = `${name}${readsPerMessage} a message, ${number} of ingestion`;
          results.set(title, [...(results.get(title) ?? []), run]);
        }
      }
    }
  }
  return results;
}

function report(name: string, runs: readonly Drained[]): void {
  const of = (pick: (run: Drained) => number, digits: number) => show(spreadOf(runs.map(pick)), digits);
  const cores = (pick: (run: Drained) => number) => of((run) => (pick(run) * run.perSecond) / 1e6, 2);
  console.log(`  ${name}: reads/s ${of(({ perSecond }) => perSecond, 0)}`);
  for (const [what, figure] of [
    ['us a read', (pick: (run: Drained) => number) => of(pick, 1)],
    ['cores', cores],
  ] as const) {
    console.log(
      `    ${what}: Node.js ${figure(({ ingest }) => ingest)}   database ${figure(({ database }) => database)}   RabbitMQ ${figure(({ broker }) => broker)}`,
    );
  }
}

const HERE = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
