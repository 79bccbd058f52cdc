import { pino } from 'pino';
import { createClock } from '../../base/clock.ts';
import { MICROS_PER_DAY } from '../../base/instant.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import type { RegisteredReader } from '../../domain/messages/load-readers.ts';
import { WorkThreads } from '../../platform/runtime/work-threads.ts';
import { createIntake, type Intake, type IntakeOptions } from '../../services/mqtt-ingest/intake/intake.ts';
import { LargeMessages } from '../../services/mqtt-ingest/intake/large-messages.ts';
import { openRegistry, type Registry } from '../../services/mqtt-ingest/registry/registry.ts';
import type { TestDatabase } from './database.ts';

export const RULES = { lateness: 30 * MICROS_PER_DAY, retention: 30 * MICROS_PER_DAY };

export interface TestIntake {
  /** Hands a message in; resolves when it may be acknowledged. */
  receive(
    topic: string,
    payload: string | Buffer,
    publisher?: RegisteredReader,
  ): ReturnType<Intake['receive']>;
  drain: Intake['drain'];
  settledUpTo: Intake['settledUpTo'];
  slow(): Intake['slow'];
  registry: Registry;
  /** Where large messages are read. */
  threads: WorkThreads;
  reported: { outages: unknown[]; poison: unknown[] };
}

/**
 * The intake of messages on the suite's database, with no broker in front.
 *
 * @param pool the suite's if left out.
 * @param parts.listenAt by what address changes are heard of.
 */
export async function openIntake(
  database: TestDatabase,
  pool: Pool = database.pool,
  {
    listenAt = database.url,
    ...parts
  }: Partial<Pick<IntakeOptions, 'clock' | 'databaseClock' | 'onCommitted' | 'onMoves'>> & {
    listenAt?: string;
  } = {},
): Promise<TestIntake> {
  const reported: TestIntake['reported'] = { outages: [], poison: [] };
  const log = pino({ level: 'silent' });
  const threads = new WorkThreads(log);
  const registry = await openRegistry({
    url: listenAt,
    pool: database.pool,
    builtinFormats: loadBuiltinFormats(),
    threads,
    onFault: () => {},
  });
  const intake = createIntake({
    pool,
    registry,
    clock: createClock(),
    largeMessages: new LargeMessages(threads, log),
    rules: RULES,
    onOutage: (error) => reported.outages.push(error),
    onPoison: (error) => reported.poison.push(error),
    onWarning: () => {},
    ...parts,
  });
  database.beforeDrop(async () => {
    await intake.drain(0);
    await threads.close();
    await registry.close();
  });
  return {
    drain: (patience) => intake.drain(patience),
    registry,
    threads,
    reported,
    settledUpTo: () => intake.settledUpTo(),
    slow: () => intake.slow,
    receive: (topic, payload, publisher) =>
      intake.receive(
        {
          topic,
          payload: Buffer.from(payload),
          isDup: false,
          sender: 'session ingest',
          packetId: 1,
          isStale: false,
        },
        publisher,
      ),
  };
}

/** What became of the reads of a reader, or of all readers together. */
export async function countersOf(database: TestDatabase, readerId: number | null = null) {
  const [counters] = await database.rows(
    `select sum(messages)::int as messages, sum(messages_rejected)::int as messages_rejected,
       sum(reads)::int as reads, sum(recorded)::int as recorded, sum(duplicates)::int as duplicates,
       sum(unknown)::int as unknown, sum(unplaced)::int as unplaced, sum(rejected)::int as rejected,
       sum(ignored)::int as ignored
     from reader_counters where $1::integer is null or reader_id = $1`,
    [readerId],
  );
  return counters;
}
