import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { createHealth, healthListener } from '../../platform/runtime/health.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { serve } from '../../platform/runtime/listen-on.ts';
import { createLog } from '../../platform/runtime/log.ts';
import { runProcess } from '../../platform/runtime/run-process.ts';
import { startMeasured } from '../../platform/runtime/start-tls.ts';
import { watchServers } from '../../platform/runtime/watch-servers.ts';
import { readWorkerConfig, type WorkerConfig } from './config.ts';
import { startJobs } from './start-jobs.ts';

await runProcess(() => {
  const config = readWorkerConfig(process.env);
  const log = createLog('worker', config.LOG_LEVEL);
  return { log, boot: (lifecycle) => startWorkerProcess(config, log, lifecycle) };
});

/**
 * Starts the worker as a process of its own.
 *
 * @returns where it serves health and metrics.
 * @throws AppError if the database is missing or not migrated, or the port is taken.
 */
async function startWorkerProcess(
  config: WorkerConfig,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<{ url: string }> {
  const registry = new Registry();
  const tls = await startMeasured(config, registry, { log, lifecycle });
  const { checks, notices } = await startJobs(config, { log, lifecycle, metrics: registry });
  const health = createHealth({
    ...{ registry, checks, stopping: lifecycle.stopping },
    notices: { ...(await watchServers(config.DATABASE_URL, { log, lifecycle })), ...notices },
  });
  const address = { host: config.HOST, port: config.WORKER_PORT, setting: 'WORKER_PORT' };
  return serve(healthListener(health), address, { tls, log, lifecycle, says: 'Worker running' });
}
