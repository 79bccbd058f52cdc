import { setTimeout as pause } from 'node:timers/promises';
import { type Program, run } from '../support/process.ts';
import { until } from '../support/subscribed-ingest.ts';
import { SECRETS_KEY } from '../support/webhooks.ts';

/** Milliseconds. */
const RESTART_AFTER = 100;

/** The worker as a process of its own, which can be killed and started again. */
export class WorkerProgram {
  kills = 0;
  readonly #environment: NodeJS.ProcessEnv;
  #program: Program | null = null;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = {
      ...environment,
      ...{ WORKER_PORT: '0', SECRETS_KEY, WEBHOOK_NETWORKS: '127.0.0.0/8' },
    };
  }

  /** Starts it as often as it takes, as whatever supervises it does: without a database it ends. */
  async startUntilReady(): Promise<void> {
    for (;;) {
      this.#program = run('services/worker/main.ts', [], this.#environment);
      try {
        return await this.#program.printed('Worker running');
      } catch {
        await pause(RESTART_AFTER);
      }
    }
  }

  async kill(): Promise<void> {
    this.kills += 1;
    this.#program?.child.kill('SIGKILL');
    await this.#program?.ended;
  }

  /** Whether it is the one that has the turns of a job. */
  async runs(job: string): Promise<boolean> {
    return (await this.#metric(`tagtrail_job_running{name="${job}"}`).catch(() => 0)) === 1;
  }

  /** Webhooks that it delivers for. */
  held(): Promise<number> {
    return this.#metric('tagtrail_webhooks_held');
  }

  async #metric(name: string): Promise<number> {
    const address = /"address":"([^"]+)"/.exec(this.#program?.stdout() ?? '')?.[1];
    const lines = (await (await fetch(`${address}/metrics`)).text()).split('\n');
    return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1));
  }
}

/** Which of several has the turns of a job; waits until one has. */
export async function runnerOf(workers: readonly WorkerProgram[], job: string): Promise<WorkerProgram> {
  let runner: WorkerProgram | undefined;
  await until(async () => {
    const running = await Promise.all(workers.map((worker) => worker.runs(job)));
    runner = workers[running.indexOf(true)];
    return runner !== undefined;
  });
  return runner as WorkerProgram;
}
