import type { Logger } from 'pino';
import { createClock } from '../../base/clock.ts';
import { MICROS_PER_DAY } from '../../base/instant.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { WriteOutage } from '../../db/timescale/connections/write-outage.ts';
import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import { announceHeard } from '../../domain/listening/heard.ts';
import { LISTEN_WANTED, readWanted } from '../../domain/listening/wanted.ts';
import type { ReadMessage } from '../../domain/messages/message.ts';
import { reasonOf } from '../../domain/messages/rejected-messages.ts';
import { requireSealer } from '../../domain/moves/require-sealer.ts';
import { wakeSealer } from '../../domain/moves/wake-sealer.ts';
import { ClocksApart, DatabaseClock } from '../../domain/tracking/database-clock.ts';
import { sayStoredAhead } from '../../domain/tracking/mend-clock/stored-ahead.ts';
import { requireDatabase } from '../../platform/runtime/database.ts';
import type { Check } from '../../platform/runtime/health.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { LogBudget } from '../../platform/runtime/log-budget.ts';
import { checksOfRecording } from '../../platform/runtime/require-database.ts';
import { watchClock } from '../../platform/runtime/watch-clock.ts';
import { startWorkThreads, type WorkThreads } from '../../platform/runtime/work-threads.ts';
import { createIntake, type Intake, type IntakeOptions } from './intake/intake.ts';
import { LargeMessages } from './intake/large-messages.ts';
import { LANES } from './intake/reader-lanes.ts';
import { ReaderListening } from './listening/listening.ts';
import { openRegistry, type Registry, type RegistryOptions } from './registry/registry.ts';

export interface IntakeConfig {
  DATABASE_URL: string;
  SCAN_RETENTION_DAYS: number;
  LATENESS_DAYS: number;
}

type IntakeParts = Partial<Pick<IntakeOptions, 'clock' | 'onCommitted'>> & {
  threads?: WorkThreads | undefined;
};

export interface StartedIntake {
  intake: Intake;
  registry: Registry;
  pool: Pool;
  databaseClock: DatabaseClock;
  checks: Readonly<Record<string, Check>>;
  /** For faults that do not stop recording. */
  notices: Readonly<Record<string, Check>>;
}

/**
 * Starts the intake for a source of messages.
 *
 * @throws AppError if the database is missing or not migrated.
 */
export async function startIntake(
  config: IntakeConfig,
  log: Logger,
  lifecycle: Lifecycle,
  { clock = createClock(), onCommitted, threads }: IntakeParts = {},
): Promise<StartedIntake> {
  const { DATABASE_URL: url } = config;
  await requireDatabase(url);
  const pool = await lifecycle.start(
    'ingest database',
    () =>
      createWritePool(url, {
        ...{ max: POOL_SIZE, applicationName: 'tagtrail ingest', lockTimeout: LOCK_TIMEOUT },
      }),
    (started) => started.end(),
  );
  const listening = await lifecycle.start(
    'listening',
    async () => new ReaderListening((texts) => announceHeard(pool, texts)),
    (started) => started.stop(),
  );
  const workThreads = threads ?? (await startWorkThreads(log, lifecycle));
  const registry = await startRegistry({ url, pool, threads: workThreads }, listening, { log, lifecycle });
  const told = intakeLog(log);
  const outage = new WriteOutage('messages wait, as they cannot be recorded');
  const databaseClock = new DatabaseClock(clock);
  const intake = createIntake({
    pool,
    registry,
    clock,
    databaseClock,
    largeMessages: new LargeMessages(workThreads, log),
    rules: {
      lateness: config.LATENESS_DAYS * MICROS_PER_DAY,
      retention: config.SCAN_RETENTION_DAYS * MICROS_PER_DAY,
    },
    onMoves: wakeSealer(pool),
    listening,
    ...told,
    onOutage: (error) => {
      outage.failed(error);
      told.onOutage(error);
    },
    onCommitted: (message, outcome) => {
      outage.committed();
      told.onCommitted(message, outcome);
      onCommitted?.(message, outcome);
    },
  });
  const checks = checksOfRecording(pool, { databaseClock, outage });
  const notices = {
    // Without a worker nothing is lost, but no news goes out.
    feed: () => requireSealer(pool),
    ...(await watchClock(() => sayStoredAhead(pool), { log, lifecycle })),
  };
  return { intake, registry, pool, databaseClock, checks, notices };
}

function startRegistry(
  parts: Pick<RegistryOptions, 'url' | 'pool' | 'threads'>,
  listening: ReaderListening,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<Registry> {
  return lifecycle.start(
    'registry of readers',
    () =>
      openRegistry({
        ...parts,
        builtinFormats: loadBuiltinFormats(),
        onFault: (err) => log.warn({ err }, 'Reader registry could not be updated; will retry'),
        alsoHear: new Map([[LISTEN_WANTED, (text) => want(listening, text)]]),
      }),
    (started) => started.close(),
  );
}

function want(listening: ReaderListening, text: string): void {
  const wanted = readWanted(text);
  if (wanted !== null) {
    listening.want(wanted);
  }
}

/** One per concurrent batch, one for slow messages, one for the registry and readiness checks, one for sessions, one for the watch. */
const POOL_SIZE = LANES + 4;

/** Milliseconds: longer than another process's batch takes, because other readers wait meanwhile. */
const LOCK_TIMEOUT = 3_000;

/**
 * Milliseconds that shutdown waits for a missing database; after that, received messages stay unacknowledged.
 */
export const DRAIN_PATIENCE = 5_000;

type IntakeCallbacks = Required<
  Pick<IntakeOptions, 'onOutage' | 'onBlocked' | 'onSlow' | 'onPoison' | 'onCommitted' | 'onWarning'>
>;

/**
 * Logs the beginning and the end of an outage once each, of the database or of a clock that is wrong, and message faults
 * once a minute per reader, with reader and organization. Payloads are not logged.
 */
function intakeLog(log: Logger): IntakeCallbacks {
  const onceAMinute = (level: 'warn' | 'error', text: string) => {
    const budget = new LogBudget(LINES_A_MINUTE);
    return (err: unknown, message: ReadMessage) => {
      const leftOut = budget.take(subjectOf(message));
      if (leftOut !== null) {
        log[level]({ ...about(message), times: leftOut + 1, err }, text);
      }
    };
  };
  const outages = outageLog(log);
  const rejected = new LogBudget(LINES_A_MINUTE);
  return {
    onOutage: outages.goesOn,
    onBlocked: onceAMinute(
      'warn',
      'Messages of the reader wait unacknowledged for a lock of another database session; will retry',
    ),
    onSlow: onceAMinute(
      'warn',
      'Message not recorded within the time limit; it is retried alone, unacknowledged',
    ),
    onPoison: onceAMinute('error', 'Message could not be recorded; it is rejected'),
    onCommitted: (message, { rejections }) => {
      outages.isOver();
      const leftOut = rejections.length === 0 ? null : rejected.take(subjectOf(message));
      if (leftOut !== null) {
        const reason = reasonOf(rejections);
        log.warn({ ...about(message), times: leftOut + 1, reason }, 'Message rejected, in whole or in part');
      }
    },
    onWarning: (warning) => log.warn(warning, 'Reader reports a fault of its own'),
  };
}

function outageLog(log: Logger): { goesOn(err: unknown): void; isOver(): void } {
  let since: number | null = null;
  let isOfClock = false;
  return {
    goesOn: (err) => {
      const isClock = err instanceof ClocksApart;
      const level = since === null || isClock !== isOfClock ? 'warn' : 'debug';
      since ??= performance.now();
      isOfClock = isClock;
      if (isClock) {
        log[level]({ err }, 'Clock apart from that of the database; messages are held unacknowledged');
      } else {
        log[level]({ err }, 'Database unavailable; messages are held unacknowledged');
      }
    },
    isOver: () => {
      if (since === null) {
        return;
      }
      const seconds = Math.round((performance.now() - since) / 100) / 10;
      since = null;
      if (isOfClock) {
        log.info({ seconds }, 'Clock correct again; held messages are being recorded');
      } else {
        log.info({ seconds }, 'Database available again; held messages are being recorded');
      }
    },
  };
}

/** Per reader and kind of fault; the next line gives the number dropped. */
const LINES_A_MINUTE = 1;

function subjectOf({ reader, topic }: ReadMessage): string {
  return reader === null ? `topic ${topic}` : `reader ${reader.readerId}`;
}

function about({ reader, topic }: ReadMessage): object {
  return reader === null
    ? { topic }
    : { orgId: reader.orgId, readerId: reader.readerId, reader: reader.name, topic };
}
