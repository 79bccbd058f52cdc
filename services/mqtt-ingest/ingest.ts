import { createWritePool } from '../../db/timescale/pool.ts';
import { createClock } from '../shared/clock.ts';
import type { TimeRules } from '../shared/tracking/observed-at.ts';
import { createIntake } from './intake.ts';
import { loadBuiltinFormats } from './mapping/builtin.ts';
import { openRegistry } from './registry.ts';
import { startEmbeddedBroker } from './source/embedded-broker.ts';

/** Ingestion through a broker of its own: readers connect to this process. */
export interface EmbeddedIngest {
  /** Where readers connect. */
  port: number;
  /** Commits and acknowledges what was received, then lets go of everything. */
  stop(): Promise<void>;
}

export interface EmbeddedIngestOptions {
  databaseUrl: string;
  host: string;
  /** 0 picks a free one. */
  port: number;
  rules: TimeRules;
  log: IngestLog;
}

/** What ingestion has to say; a `pino` logger is one. */
export interface IngestLog {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
}

/** @throws the database's or the system's error if it cannot be reached or the port cannot be listened on. */
export async function startEmbeddedIngest(options: EmbeddedIngestOptions): Promise<EmbeddedIngest> {
  const { databaseUrl, host, port, rules, log } = options;
  const pool = createWritePool(databaseUrl, { max: WRITE_CONNECTIONS, applicationName: 'tagtrail ingest' });
  const closing: (() => Promise<void>)[] = [() => pool.end()];
  const stop = async () => {
    for (const close of closing.toReversed()) {
      await close();
    }
  };
  try {
    const registry = await openRegistry({
      url: databaseUrl,
      pool,
      builtinFormats: loadBuiltinFormats(),
      onFault: (err) => log.warn({ err }, 'The registry of readers could not be brought up to date'),
    });
    closing.push(() => registry.close());
    const intake = createIntake({
      pool,
      registry,
      clock: createClock(),
      rules,
      onOutage: (err) => log.warn({ err }, 'The database does not answer; messages wait unacknowledged'),
      onPoison: (err, topic) => log.error({ err, topic }, 'A message could not be recorded and was rejected'),
    });
    const broker = await startEmbeddedBroker({
      host,
      port,
      intake,
      registry,
      onRefused: (username, reason) => log.warn({ username, reason }, 'A reader was refused'),
    });
    closing.push(() => broker.stop(() => intake.drain(DRAIN_PATIENCE)));
    return { port: broker.port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** One for the batch under way, one for the registry. */
const WRITE_CONNECTIONS = 2;

/** Milliseconds that stopping waits for a database that is gone; then what was received stays unacknowledged. */
const DRAIN_PATIENCE = 5_000;
