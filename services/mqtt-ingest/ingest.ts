import type { Logger } from 'pino';
import { createWritePool } from '../../db/timescale/pool.ts';
import { sweep } from '../../db/timescale/retention.ts';
import { createClock } from '../shared/clock.ts';
import { MICROS_PER_DAY } from '../shared/instant.ts';
import { requireDatabase } from '../shared/runtime/database.ts';
import type { Lifecycle } from '../shared/runtime/lifecycle.ts';
import { repeat } from '../shared/runtime/repeat.ts';
import { createIntake, LANES } from './intake/intake.ts';
import { loadBuiltinFormats } from './mapping/builtin.ts';
import { openRegistry } from './registry/registry.ts';
import { startEmbeddedBroker } from './source/embedded-broker.ts';

export interface EmbeddedIngestConfig {
  DATABASE_URL: string;
  HOST: string;
  /** 0 picks a free one. */
  MQTT_PORT: number;
  SCAN_RETENTION_DAYS: number;
  LATENESS_DAYS: number;
}

/**
 * Starts ingestion through a broker of its own, part by part. Stopping commits and acknowledges what was received.
 *
 * @returns the port readers connect to.
 * @throws AppError if the database is not there or not migrated, or the port is taken.
 */
export async function startEmbeddedIngest(
  config: EmbeddedIngestConfig,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<{ port: number }> {
  await requireDatabase(config.DATABASE_URL);
  const pool = await lifecycle.start(
    'ingest database',
    () => createWritePool(config.DATABASE_URL, { max: POOL_SIZE, applicationName: 'tagtrail ingest' }),
    (started) => started.end(),
  );
  await lifecycle.start(
    'retention',
    () =>
      repeat(
        SWEEP_EVERY,
        () => sweep(pool, config.SCAN_RETENTION_DAYS),
        (err) => log.warn({ err }, 'Old scans could not be dropped; it is tried again later'),
      ),
    (started) => started.stop(),
  );
  const registry = await lifecycle.start(
    'registry of readers',
    () =>
      openRegistry({
        url: config.DATABASE_URL,
        pool,
        builtinFormats: loadBuiltinFormats(),
        onFault: (err) => log.warn({ err }, 'The registry of readers could not be brought up to date'),
      }),
    (started) => started.close(),
  );
  const intake = createIntake({
    pool,
    registry,
    clock: createClock(),
    rules: {
      lateness: config.LATENESS_DAYS * MICROS_PER_DAY,
      retention: config.SCAN_RETENTION_DAYS * MICROS_PER_DAY,
    },
    onOutage: (err) => log.warn({ err }, 'The database does not answer; messages wait unacknowledged'),
    onPoison: (err, topic) => log.error({ err, topic }, 'A message could not be recorded and was rejected'),
  });
  const broker = await lifecycle.start(
    'broker',
    () =>
      startEmbeddedBroker({
        host: config.HOST,
        port: config.MQTT_PORT,
        intake,
        registry,
        onRefused: (username, reason) => log.warn({ username, reason }, 'A reader was refused'),
      }),
    (started) => started.stop(() => intake.drain(DRAIN_PATIENCE)),
  );
  log.info({ port: broker.port }, 'readers can connect');
  return { port: broker.port };
}

/** One for each batch under way, one for the registry and the retention. */
const POOL_SIZE = LANES + 1;

/** Milliseconds that stopping waits for a database that is gone; then what was received stays unacknowledged. */
const DRAIN_PATIENCE = 5_000;

const SWEEP_EVERY = 3_600_000;
