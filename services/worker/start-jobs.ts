import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import { requireSealer } from '../../domain/moves/require-sealer.ts';
import { requireDatabase } from '../../platform/runtime/database.ts';
import { countEach, measureEach } from '../../platform/runtime/figures.ts';
import type { Check } from '../../platform/runtime/health.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { requireWritable } from '../../platform/runtime/require-database.ts';
import type { JobConfig } from './config.ts';
import { jobsOf } from './jobs.ts';
import { type RunningJob, runJob } from './run-job.ts';

/** For work outside turns: outcomes of e-mail, figures, readiness. */
const CONNECTIONS = 2;

/**
 * Starts the work in the background.
 *
 * @returns what readiness asks.
 * @throws AppError if the database is missing or not migrated.
 */
export async function startJobs(
  config: JobConfig,
  { log, lifecycle, metrics }: { log: Logger; lifecycle: Lifecycle; metrics: Registry },
): Promise<Record<'checks' | 'notices', Readonly<Record<string, Check>>>> {
  const { DATABASE_URL: url } = config;
  await requireDatabase(url);
  const pool = await lifecycle.start(
    'database of jobs',
    () => createWritePool(url, { max: CONNECTIONS, applicationName: 'tagtrail worker' }),
    (started) => started.end(),
  );
  const { stopping } = lifecycle;
  const jobs = await lifecycle.start(
    'jobs',
    () => jobsOf(config, { pool, log, metrics, stopping }).map((job) => runJob(job, { url, log })),
    (started) => Promise.all(started.map((job) => job.stop())),
  );
  measureJobs(metrics, jobs);
  return {
    checks: {
      database: () => pool.exec(sql.type(NO_ROWS)`select`),
      writing: () => requireWritable(pool),
      feed: () => requireSealer(pool),
    },
    notices: { jobs: async () => requireNoneFailing(jobs) },
  };
}

function requireNoneFailing(jobs: readonly RunningJob[]): void {
  const failing = jobs.filter(({ figures }) => figures.isFailing).map(({ name }) => name);
  if (failing.length > 0) {
    throw new Error(`these fail and are tried again: ${failing.join(', ')}`);
  }
}

function measureJobs(registry: Registry, jobs: readonly RunningJob[]): void {
  const running = '1 if this process has the turns of a job now. Of most jobs one process has them.';
  measureEach(registry, ['tagtrail_job_running', running, 'name'], () =>
    jobs
      .filter(({ figures }) => !figures.isDone)
      .map(({ name, figures }) => [name, Number(figures.isRunning)]),
  );
  const turns = 'Turns of a job that this process has completed.';
  countEach(registry, ['tagtrail_job_turns_total', turns, 'name'], () =>
    jobs.map(({ name, figures }) => [name, figures.turns]),
  );
  const failures = 'Turns of a job that failed in this process, and failed attempts to begin it.';
  countEach(registry, ['tagtrail_job_failures_total', failures, 'name'], () =>
    jobs.map(({ name, figures }) => [name, figures.failures]),
  );
}
