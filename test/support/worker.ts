import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import type { JobConfig } from '../../services/worker/config.ts';
import { startJobs } from '../../services/worker/start-jobs.ts';
import type { TestDatabase } from './database.ts';

/** Settings of jobs. Tests have clocks of their own, years back, and retention goes by the database's. */
export function jobConfig(databaseUrl: string): JobConfig {
  return {
    DATABASE_URL: databaseUrl,
    MIGRATE_DATABASE_URL: null,
    SCAN_RETENTION_DAYS: 36_500,
    MOVES_RETENTION_DAYS: null,
    READINGS_RETENTION_DAYS: 90,
    ADDRESS_RETENTION_DAYS: 365,
    LATENESS_DAYS: 30,
    SECRETS_KEY: null,
    WEBHOOK_NETWORKS: [],
    SMTP_URL: null,
    MAIL_FROM: null,
    MAIL_SETTLE_SECONDS: 0,
    CONSOLE_URL: null,
  };
}

export interface TestWorker {
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

/** The worker's jobs on the suite's database; stopped before that is dropped. */
export async function startWorker(
  database: Pick<TestDatabase, 'url' | 'beforeDrop'>,
  settings: Partial<JobConfig> = {},
  log = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }),
): Promise<TestWorker> {
  const lifecycle = new Lifecycle(log);
  const metrics = new Registry();
  database.beforeDrop(() => lifecycle.stop());
  await startJobs({ ...jobConfig(database.url), ...settings }, { log, lifecycle, metrics });
  return { metrics: () => metrics.metrics(), stop: () => lifecycle.stop() };
}

/** {@link startWorker} before the suite's first test. */
export function useWorker(database: TestDatabase, settings: Partial<JobConfig> = {}): void {
  before(() => startWorker(database, settings));
}
