import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type pg from 'pg';
import { MICROS_PER_DAY } from '../../../base/instant.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { mapMessage } from '../../../domain/formats/mapping/run.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { loadReaders } from '../../../domain/messages/load-readers.ts';
import { MessageAsRead, type ReadMessage } from '../../../domain/messages/message.ts';
import { processorTime } from '../../support/processor-time.ts';
import { show, spreadOf } from '../../support/statistics.ts';
import { interleaved } from '../interleaved.ts';
import type { IngestOptions } from './options.ts';
import { type BenchSite, createSite, onServer, READERS } from './site.ts';
import { StatementTimes } from './statement-times.ts';
import { type LateKind, spanOf, type TrafficSettings, traffic } from './traffic.ts';

/**
 * Recording alone, on one connection, with each share of the reads late, of each kind. With `--against`, the same by another
 * working tree, in turns and in the same database.
 */
export async function benchRecorder(serverUrl: string, options: IngestOptions): Promise<void> {
  const site = await createSite(serverUrl, options.history[0] ?? 1e5);
  const trees = [HERE, ...(options.against === null ? [] : [options.against])];
  const recorders = await Promise.all(trees.map((tree) => recorderOf(tree, site.url)));
  try {
    const measurements = await measurementsOf(site, recorders, options);
    const results = await interleaved(options.repetitions, measurements);
    for (const share of sharesOf(options)) {
      report(share, results, recorders);
    }
  } finally {
    await Promise.all(recorders.map(({ pool }) => pool.end()));
    await site.drop();
  }
}

interface LateShare {
  late: number;
  lateKind: LateKind;
  readings: number;
}

function sharesOf({ late: shares, lateKinds, readings }: IngestOptions): LateShare[] {
  const plain = shares.flatMap((late) =>
    (late === 0 ? lateKinds.slice(0, 1) : lateKinds).map((lateKind) => ({ late, lateKind, readings: 0 })),
  );
  return readings === 0 ? plain : [...plain, { ...IN_ORDER, readings }];
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
  const [{ createWritePool }, { inMarkedTransaction }, { recordMessages }, { AlreadyStored }, remembering] =
    await Promise.all([
      load<typeof import('../../../db/timescale/connections/pool.ts')>('db/timescale/connections/pool.ts'),
      load<typeof import('../../../db/timescale/connections/transaction.ts')>(
        'db/timescale/connections/transaction.ts',
      ),
      load<typeof import('../../../domain/messages/record-messages.ts')>(
        'domain/messages/record-messages.ts',
      ),
      load<typeof import('../../../domain/tracking/record.ts')>('domain/tracking/record.ts'),
      // Another tree may be older.
      load<typeof import('../../../domain/tracking/recent-readings.ts')>(
        'domain/tracking/recent-readings.ts',
      ).catch(() => null),
    ]);
  const readings = remembering === null ? undefined : new remembering.RecentReadings();
  const pool = createWritePool(url, { max: 1, applicationName: 'tagtrail bench' });
  const record = async (messages: readonly ReadMessage[]): Promise<void> => {
    const now = messages.reduce((last, { receivedAt }) => Math.max(last, receivedAt), 0);
    let measured = readings?.begin();
    await inMarkedTransaction(
      pool,
      (client, attempt) => {
        measured = readings?.begin();
        const options = { rules: RULES, now, isCareful: attempt > 1, ...(measured && { measured }) };
        return recordMessages(client, messages, options);
      },
      (error) => error instanceof AlreadyStored,
    );
    measured?.commit();
  };
  return { name: tree === HERE ? 'here' : tree, pool, record };
}

const RULES = { lateness: 30 * MICROS_PER_DAY, retention: 30 * MICROS_PER_DAY };

/** Microseconds of processor time a read. */
interface Taken {
  node: number;
  database: number;
  /** Of the late reads, those that begin a stay. */
  changing: number;
  statements: ReadonlyMap<string, number> | null;
}

async function measurementsOf(
  site: BenchSite,
  recorders: readonly Recorder[],
  options: IngestOptions,
): Promise<Record<string, () => Promise<Taken>>> {
  const { batch, count } = options;
  const readers = await registeredAt(site);
  // By a clock of its own, as reads may be recorded faster than they are made.
  let start = Date.now();
  const measured = async (recorder: Recorder, share: LateShare): Promise<Taken> => {
    const settings = trafficOf(site, { reads: count, ...share, start: Math.max(start, Date.now()) });
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
      const taken = {
        node: (user + system) / count,
        database: ((processorTime(pids) - database) * 1e6) / count,
        statements: (await statements?.since(count)) ?? null,
      };
      return { ...taken, changing: await changingShare(client, new Date(settings.start)) };
    });
  };
  return Object.fromEntries(
    recorders.flatMap((recorder) =>
      sharesOf(options).map((share) => [keyOf(recorder, share), () => measured(recorder, share)]),
    ),
  );
}

/** Of reads that were observed before `start` and received since. */
async function changingShare(client: pg.Client, start: Date): Promise<number> {
  const { rows } = await client.query<{ share: number }>(
    `select (select count(*) from location_transitions where observed_at < $1 and received_at >= $1)::float8
       / nullif((select count(*) from scan_events where observed_at < $1 and received_at >= $1), 0) as share`,
    [start],
  );
  return rows[0]?.share ?? Number.NaN;
}

async function registeredAt({ url }: BenchSite): Promise<ReadonlyMap<string, RegisteredReader>> {
  const { createWritePool } = await import('../../../db/timescale/connections/pool.ts');
  const pool = createWritePool(url, { max: 1 });
  const readers = await loadReaders(pool, await loadFormats(pool, loadBuiltinFormats()));
  await pool.end();
  return new Map(readers.map((reader) => [reader.topic, reader]));
}

function trafficOf(
  { assets }: BenchSite,
  { reads, late, lateKind, readings, start }: LateShare & { reads: number; start: number },
): TrafficSettings {
  return {
    readers: Array.from({ length: READERS }, (_, reader) => reader),
    messages: reads / READS_A_MESSAGE,
    readsPerMessage: READS_A_MESSAGE,
    assets,
    late,
    lateKind,
    readings,
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

const keyOf = ({ name }: Recorder, { late, lateKind, readings }: LateShare) =>
  late === 0 && readings === 0 ? name : `${name} ${late} ${lateKind} ${readings}`;

const IN_ORDER: LateShare = { late: 0, lateKind: 'scattered', readings: 0 };

function report(
  share: LateShare,
  results: Readonly<Record<string, readonly Taken[]>>,
  recorders: readonly Recorder[],
): void {
  const { late, lateKind, readings } = share;
  const measured = readings === 0 ? '' : `, ${readings} values with each read`;
  console.log(
    late === 0
      ? `\nRecording in order${measured}`
      : `\nRecording with ${100 * late} % of the reads late, ${lateKind}`,
  );
  for (const recorder of recorders) {
    const runs = results[keyOf(recorder, share)] ?? [];
    const inOrder = results[keyOf(recorder, IN_ORDER)] ?? [];
    const first = results[keyOf(recorders[0] ?? recorder, share)] ?? [];
    const of = (pick: (taken: Taken, round: number) => number, digits = 1) =>
      show(spreadOf(runs.map(pick)), digits);
    const rateOf = (others: readonly Taken[]) => of((taken, round) => sum(others[round]) / sum(taken), 2);
    console.log(`  ${recorder.name}`);
    console.log(
      `    us a read: ${of(sum)}   Node.js ${of(({ node }) => node)}   database ${of(({ database }) => database)}`,
    );
    if ((late > 0 || readings > 0) && inOrder.length > 0) {
      console.log(`    of the rate in order ${rateOf(inOrder)}`);
    }
    if (late > 0) {
      console.log(`    late reads that begin a stay ${of(({ changing }) => changing, 2)}`);
    }
    if (recorder !== recorders[0]) {
      console.log(`    of the rate here ${rateOf(first)}`);
    }
    StatementTimes.report(runs.flatMap(({ statements }) => statements ?? []));
  }
}

function sum(taken: Taken | undefined): number {
  return taken === undefined ? Number.NaN : taken.node + taken.database;
}
