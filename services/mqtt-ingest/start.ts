import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import { createHealth, healthListener } from '../../platform/runtime/health.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { serve } from '../../platform/runtime/listen-on.ts';
import { createLog } from '../../platform/runtime/log.ts';
import { runProcess } from '../../platform/runtime/run-process.ts';
import { startMeasured } from '../../platform/runtime/start-tls.ts';
import { watchServers } from '../../platform/runtime/watch-servers.ts';
import { type IngestConfig, readIngestConfig } from './config.ts';
import { startSubscribedIngest } from './ingest.ts';

/**
 * Starts ingestion as a process of its own.
 *
 * @returns where it serves health and metrics.
 * @throws AppError if the database is missing or not migrated, or the port is taken.
 */
export async function startIngestProcess(
  config: IngestConfig,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<{ url: string }> {
  const registry = new Registry();
  const tls = await startMeasured(config, registry, { log, lifecycle });
  const { pool, checks, notices } = await startSubscribedIngest(config, config.INGEST_PORT, log, lifecycle, {
    metrics: registry,
    tls,
  });
  const health = createHealth({
    registry,
    stopping: lifecycle.stopping,
    checks: { database: () => pool.exec(sql.type(NO_ROWS)`select`), ...checks },
    notices: { ...(await watchServers(config.DATABASE_URL, { log, lifecycle })), ...notices },
  });
  const address = { host: config.HOST, port: config.INGEST_PORT, setting: 'INGEST_PORT' };
  return serve(healthListener(health), address, { tls, log, lifecycle, says: 'Ingestion running' });
}

/** Runs it as a process of its own. */
export function runIngest(): Promise<void> {
  return runProcess(() => {
    const config = readIngestConfig(process.env);
    const log = createLog('ingest', config.LOG_LEVEL);
    return { log, boot: (lifecycle) => startIngestProcess(config, log, lifecycle) };
  });
}
