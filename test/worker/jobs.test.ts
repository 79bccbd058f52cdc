import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { JOBS_OF_EVERY_WORKER } from '../../domain/health/jobs.ts';
import type { Job } from '../../services/worker/jobs/job.ts';
import { jobsOf } from '../../services/worker/jobs.ts';
import { runJob } from '../../services/worker/run-job.ts';
import { useDatabase } from '../support/database.ts';
import { type Program, run } from '../support/process.ts';
import { SETTINGS } from '../support/webhooks.ts';
import { jobConfig, startWorker } from '../support/worker.ts';

describe('the jobs of a worker', () => {
  const database = useDatabase();
  const parts = () => ({
    ...{ pool: database.pool, log: pino({ level: 'silent' }), metrics: new Registry() },
    stopping: new AbortController().signal,
  });
  const LOCK = JOBS_OF_EVERY_WORKER.get('retain') as Job['lock'];

  it('are those that doctor looks for, and those that need a setting if it is there', () => {
    const always = jobsOf(jobConfig(database.url), parts());
    expect(new Map(always.map(({ name, lock }) => [name, lock]))).to.deep.equal(JOBS_OF_EVERY_WORKER);
    const all = jobsOf(
      {
        ...jobConfig(database.url),
        ...{ SECRETS_KEY: SETTINGS.keys, MIGRATE_DATABASE_URL: database.url },
        SMTP_URL: { host: '127.0.0.1', port: 1, isSecure: false, login: null },
        MAIL_FROM: { name: '', address: 'alerts@example.com' },
      },
      parts(),
    );
    const names = all.map(({ name }) => name).filter((name) => !JOBS_OF_EVERY_WORKER.has(name));
    expect(names).to.deep.equal(['deliver-webhooks', 'send-mail', 'finish-upgrade']);
    const locks = all.flatMap(({ lock }) => lock ?? []);
    expect(new Set(locks).size).to.equal(locks.length);
  });

  it('are done by one of two workers, and by the other when that one is killed', async () => {
    const programs = [start(), start()];
    try {
      await Promise.all(programs.map((program) => program.printed('Worker running')));
      const running = (program: Program) => program.stdout().split('Job runs in this process').length - 1;
      const all = () => programs.reduce((sum, program) => sum + running(program), 0);
      await until(() => all() === JOBS_OF_EVERY_WORKER.size);
      const [busy, other] = programs.toSorted((a, b) => running(b) - running(a)) as [Program, Program];
      busy.child.kill('SIGKILL');
      await until(() => running(other) === JOBS_OF_EVERY_WORKER.size);
      other.child.kill('SIGTERM');
      expect(await other.ended).to.equal(0);
    } finally {
      for (const { child } of programs) {
        child.kill('SIGKILL');
      }
    }
  });

  it('have their turns again after a failure, in a new term, and say so', async () => {
    let terms = 0;
    const said: string[] = [];
    const log = { info: () => {}, warn: (_: object, text: string) => said.push(text) };
    const again = Promise.withResolvers<void>();
    const job: Job = {
      ...{ name: 'test', lock: LOCK, session: { name: 'test job' }, wokenBy: [], rest: 0 },
      begin: (db) => {
        terms += 1;
        return {
          turn: async () => {
            await db.query(terms === 1 ? 'select 1 / 0' : 'select 1');
            again.resolve();
            return 1_000;
          },
        };
      },
    };
    const running = runJob(job, { url: database.url, log: log as never });
    await again.promise;
    await running.stop();
    expect(terms).to.equal(2);
    expect(said).to.deep.equal(['Job failed; will retry']);
    expect(running.figures).to.include({ failures: 1, isFailing: false, isRunning: false });
  });

  it('are woken by notifications, long before they would look by themselves', async () => {
    let turns = 0;
    const heard: string[] = [];
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const job: Job = {
      ...{ name: 'test', lock: LOCK, session: { name: 'test job' }, wokenBy: ['test_news'], rest: 0 },
      begin: () => ({
        hear: (payload) => heard.push(payload),
        turn: async () => {
          turns += 1;
          (turns === 1 ? first : second).resolve();
          return 3_600_000;
        },
      }),
    };
    const running = runJob(job, { url: database.url, log: parts().log });
    await first.promise;
    await database.rows(`select pg_notify('test_news', 'now')`);
    await second.promise;
    await running.stop();
    expect(heard).to.deep.equal(['now']);
  });

  it('show in metrics whether this worker does them, and whether they fail', async () => {
    const worker = await startWorker(database);
    await until(async () => (await worker.metrics()).includes('tagtrail_job_running{name="retain"} 1'));
    await until(async () => /tagtrail_job_turns_total{name="seal-moves"} [1-9]/.test(await worker.metrics()));
    expect(await worker.metrics()).to.include('tagtrail_job_failures_total{name="retain"} 0');
    await worker.stop();
    expect(await worker.metrics()).to.include('tagtrail_job_running{name="retain"} 0');
  });

  function start(): Program {
    return run('services/worker/main.ts', [], { DATABASE_URL: database.url, WORKER_PORT: '0' });
  }

  /** The suite's time limit is the bound. */
  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      await database.rows('select pg_sleep(0.02)');
    }
  }
});
