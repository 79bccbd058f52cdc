import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MICROS_PER_DAY } from '../../../base/instant.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { mapMessage } from '../../../domain/formats/mapping/run.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { loadRegistered } from '../../../domain/messages/load-registered.ts';
import { MessageAsRead, type ReadMessage } from '../../../domain/messages/message.ts';
import { processorTime } from '../../support/processor-time.ts';
import { show, spreadOf } from '../../support/statistics.ts';
import { interleaved } from '../interleaved.ts';
import type { IngestOptions } from './options.ts';
import { type BenchSite, createSite, onServer, READERS } from './site.ts';
import { StatementTimes } from './statement-times.ts';
import { spanOf, type TrafficSettings, traffic } from './traffic.ts';

/**
 * Recording alone, on one connection, with each share of the reads late. With `--against`, the same by another
 * working tree, in turns and in the same database.
 */
export async function benchRecorder(serverUrl: string, options: IngestOptions): Promise<void> {
  const site = await createSite(serverUrl, options.history[0] ?? 1e5);
  const trees = [HERE, ...(options.against === null ? [] : [options.against])];
  const recorders = await Promise.all(trees.map((tree) => recorderOf(tree, site.url)));
  try {
    const measurements = await measurementsOf(site, recorders, options);
    const results = await interleaved(options.repetitions, measurements);
    for (const late of options.late) {
      report(late, results, recorders);
    }
  } finally {
    await Promise.all(recorders.map(({ pool }) => pool.end()));
    await site.drop();
  }
}

const HERE = join(import.meta.dirname, '../../..');

const READS_A_MESSAGE = 50;

interface Recorder {
  name: string;
  pool: Pool;
  record(messages: readonly ReadMessage[]): Promise<void>;
}

async function recorderOf(tree: string, url: string): Promise<Recorder> {
  const load = <Module>(path: string): Promise<Module> => import(pathToFileURL(join(tree, path)).href);
  const [{ createWritePool }, { inMarkedTransaction }, { recordMessages }, { AlreadyStored }] =
    await Promise.all([
      load<typeof import('../../../db/timescale/connections/pool.ts')>('db/timescale/connections/pool.ts'),
      load<typeof import('../../../db/timescale/connections/transaction.ts')>(
        'db/timescale/connections/transaction.ts',
      ),
      load<typeof import('../../../domain/messages/record-messages.ts')>(
        'domain/messages/record-messages.ts',
      ),
      load<typeof import('../../../domain/tracking/record.ts')>('domain/tracking/record.ts'),
    ]);
  const pool = createWritePool(url, { max: 1, applicationName: 'tagtrail bench' });
  const record = async (messages: readonly ReadMessage[]): Promise<void> => {
    const now = messages.reduce((last, { receivedAt }) => Math.max(last, receivedAt), 0);
    await inMarkedTransaction(
      pool,
      (client, attempt) => recordMessages(client, messages, { rules: RULES, now, isCareful: attempt > 1 }),
      (error) => error instanceof AlreadyStored,
    );
  };
  return { name: tree === HERE ? 'here' : tree, pool, record };
}

const RULES = { lateness: 30 * MICROS_PER_DAY, retention: 30 * MICROS_PER_DAY };

/** Microseconds of processor time a read. */
interface Taken {
  node: number;
  database: number;
  statements: ReadonlyMap<string, number> | null;
}

async function measurementsOf(
  site: BenchSite,
  recorders: readonly Recorder[],
  { batch, count, late: shares }: IngestOptions,
): Promise<Record<string, () => Promise<Taken>>> {
  const readers = await registeredAt(site);
  // By a clock of its own, as reads may be recorded faster than they are made.
  let start = Date.now();
  const measured = async (recorder: Recorder, late: number): Promise<Taken> => {
    const settings = trafficOf(site, { reads: count, late, start: Math.max(start, Date.now()) });
    start = settings.start + spanOf(settings);
    const batches = inBatches([...messagesOf(settings, readers)], batch / READS_A_MESSAGE);
    return onServer(site.url, async (client) => {
      await client.query('truncate unsealed_moves');
      const statements = await StatementTimes.of(client);
      const { rows } = await recorder.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
      const pids = rows.map(({ pid }) => pid);
      const database = processorTime(pids);
      const node = process.cpuUsage();
      for (const messages of batches) {
        await recorder.record(messages);
      }
      const { user, system } = process.cpuUsage(node);
      return {
        node: (user + system) / count,
        database: ((processorTime(pids) - database) * 1e6) / count,
        statements: (await statements?.since(count)) ?? null,
      };
    });
  };
  return Object.fromEntries(
    recorders.flatMap((recorder) =>
      shares.map((late) => [keyOf(recorder, late), () => measured(recorder, late)]),
    ),
  );
}

async function registeredAt({ url }: BenchSite): Promise<ReadonlyMap<string, RegisteredReader>> {
  const { createWritePool } = await import('../../../db/timescale/connections/pool.ts');
  const pool = createWritePool(url, { max: 1 });
  const readers = await loadRegistered(pool);
  await pool.end();
  return new Map(readers.map((reader) => [reader.topic, reader]));
}

function trafficOf(
  { assets }: BenchSite,
  { reads, late, start }: { reads: number; late: number; start: number },
): TrafficSettings {
  return {
    readers: Array.from({ length: READERS }, (_, reader) => reader),
    messages: reads / READS_A_MESSAGE,
    readsPerMessage: READS_A_MESSAGE,
    assets,
    late,
    poison: 0,
    start,
    seed: start,
  };
}

/** As they are once they were read, each received when its last read was made. */
function* messagesOf(
  settings: TrafficSettings,
  readers: ReadonlyMap<string, RegisteredReader>,
): Generator<ReadMessage> {
  const turn = spanOf({ ...settings, messages: READERS });
  let sent = 0;
  for (const { topic, payload } of traffic(settings)) {
    const reader = readers.get(topic) ?? null;
    if (reader?.format == null) {
      throw new Error(`There is no reader of the topic ${topic}`);
    }
    const receivedAt = Math.round((settings.start + (Math.floor(sent / READERS) + 1) * turn) * 1_000);
    const incoming = { topic, payload, isDup: false, isStale: false, sender: topic, packetId: sent };
    const mapped = mapMessage(reader.format, { topic, payload }, reader.policies);
    yield new MessageAsRead(incoming, { reader, receivedAt, mapped });
    sent += 1;
  }
}

function inBatches<Item>(all: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

const keyOf = ({ name }: Recorder, late: number) => `${name} ${late}`;

function report(
  late: number,
  results: Readonly<Record<string, readonly Taken[]>>,
  recorders: readonly Recorder[],
): void {
  console.log(late === 0 ? '\nRecording in order' : `\nRecording with ${100 * late} % of the reads late`);
  for (const recorder of recorders) {
    const runs = results[keyOf(recorder, late)] ?? [];
    const inOrder = results[keyOf(recorder, 0)] ?? [];
    const first = results[keyOf(recorders[0] ?? recorder, late)] ?? [];
    const of = (pick: (taken: Taken, round: number) => number, digits = 1) =>
      show(spreadOf(runs.map(pick)), digits);
    const share = (others: readonly Taken[]) => of((taken, round) => sum(others[round]) / sum(taken), 2);
    console.log(`  ${recorder.name}`);
    console.log(
      `    us a read: ${of(sum)}   Node.js ${of(({ node }) => node)}   database ${of(({ database }) => database)}`,
    );
    if (late > 0 && inOrder.length > 0) {
      console.log(`    of the rate in order ${share(inOrder)}`);
    }
    if (recorder !== recorders[0]) {
      console.log(`    of the rate here ${share(first)}`);
    }
    StatementTimes.report(runs.flatMap(({ statements }) => statements ?? []));
  }
}

function sum(taken: Taken | undefined): number {
  return taken === undefined ? Number.NaN : taken.node + taken.database;
}
