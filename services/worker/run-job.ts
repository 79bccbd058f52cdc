import { setTimeout as pause } from 'node:timers/promises';
import { Alarm } from '../../base/alarm.ts';
import { cancelRunning, cancelsAllRunning } from '../../db/timescale/connections/cancel-running.ts';
import { type ElectionLock, whileElected } from '../../db/timescale/connections/elected.ts';
import { listen } from '../../db/timescale/connections/listen.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Job, Turns } from './jobs/job.ts';

/** The part of a process's log that is needed here. */
export interface JobLog {
  info(what: object, text: string): void;
  warn(what: object, text: string): void;
}

export interface JobFigures {
  /** This process has its turns now. */
  isRunning: boolean;
  turns: number;
  failures: number;
  /** True from a failure until a turn succeeds. */
  isFailing: boolean;
  /** There will never be more to do. */
  isDone: boolean;
}

export interface RunningJob {
  name: string;
  figures: Readonly<JobFigures>;
  /** Ends after the turn that is under way. */
  stop(): Promise<void>;
}

/**
 * Gives a job its turns until it is stopped. A turn that fails ends the term: the lock is free for other processes, and the
 * next term begins without what the failed one knew.
 */
export function runJob(job: Job, { url, log }: { url: string; log: JobLog }): RunningJob {
  const stopping = new AbortController();
  const runner = new Runner(job, job.url ?? url, log, stopping.signal);
  const running = runner.run();
  return {
    name: job.name,
    figures: runner.figures,
    stop: async () => {
      stopping.abort();
      await (job.isBrokenOff === true ? brokenOff(running, () => runner.cancel()) : running);
    },
  };
}

class Runner {
  readonly figures: JobFigures = {
    ...{ isRunning: false, turns: 0, failures: 0, isFailing: false, isDone: false },
  };
  readonly #job: Job;
  readonly #url: string;
  readonly #log: JobLog;
  readonly #signal: AbortSignal;
  readonly #alarm = new Alarm();
  #nextWarning = 0;
  /** Cancels the statement that is running. */
  cancel: () => Promise<unknown> = async () => {};

  constructor(job: Job, url: string, log: JobLog, signal: AbortSignal) {
    this.#job = job;
    this.#url = url;
    this.#log = log;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#alarm.ring());
  }

  async run(): Promise<void> {
    const { lock } = this.#job;
    while (!this.#isOver) {
      await (lock === null ? this.#share() : this.#standForElection(lock)).catch((error) =>
        this.#failed(error),
      );
    }
  }

  async #standForElection(lock: ElectionLock): Promise<void> {
    const { session, wokenBy } = this.#job;
    await whileElected(
      this.#url,
      lock,
      { ...session, signal: this.#signal },
      async ({ client, pool, lost }) => {
        this.cancel = () => cancelRunning(client);
        lost.addEventListener('abort', () => this.#alarm.ring());
        const turns = this.#job.begin(pool);
        try {
          client.on('notification', ({ payload = '', channel }) => this.#hear(turns, payload, channel));
          for (const channel of wokenBy) {
            await client.exec(sql.type(NO_ROWS)`listen ${sql.identifier([channel])}`);
          }
          this.figures.isRunning = true;
          this.#log.info({ job: this.#job.name }, 'Job runs in this process');
          while (!this.#isOver) {
            lost.throwIfAborted();
            await this.#turn(turns);
          }
        } finally {
          this.figures.isRunning = false;
          this.cancel = async () => {};
          await turns.end?.();
        }
      },
    );
  }

  /** Runs until the process stops: leases are kept when a turn fails. */
  async #share(): Promise<void> {
    const { session, wokenBy, name } = this.#job;
    const pool = createWritePool(this.#url, { max: 1, applicationName: session.name });
    this.cancel = cancelsAllRunning(pool);
    const turns = this.#job.begin(pool);
    const listener = await this.#listening(turns, wokenBy);
    this.figures.isRunning = true;
    this.#log.info({ job: name }, 'Job runs in this process');
    try {
      while (!this.#isOver) {
        await this.#turn(turns).catch((error) => this.#failed(error));
      }
    } finally {
      this.figures.isRunning = false;
      await listener.close();
      await turns.end?.();
      await pool.end();
    }
  }

  #listening(turns: Turns, channels: readonly string[]) {
    return listen(this.#url, channels, {
      onNotify: (channel, payload) => this.#hear(turns, payload, channel),
      onReconnect: () => this.#hear(turns, '', ''),
      onLost: ({ message: reason }) =>
        this.#warn({ reason }, 'Notifications for a job do not come; it looks for work by itself'),
    });
  }

  #hear(turns: Turns, payload: string, channel: string): void {
    turns.hear?.(payload, channel);
    this.#alarm.ring();
  }

  get #isOver(): boolean {
    return this.#signal.aborted || this.figures.isDone;
  }

  async #turn(turns: Turns): Promise<void> {
    const began = performance.now();
    const next = await turns.turn();
    const took = performance.now() - began;
    this.figures.isFailing = false;
    this.figures.turns += 1;
    if (next === null) {
      this.figures.isDone = true;
    } else if (next > 0) {
      const rest = this.#job.rest + Math.min(took, LONGEST_REST);
      await pause(rest, undefined, { signal: this.#signal }).catch(() => {});
      await this.#alarm.sleep(began + next - performance.now());
    }
  }

  async #failed(err: unknown): Promise<void> {
    if (this.#signal.aborted) {
      return;
    }
    this.figures.failures += 1;
    this.figures.isFailing = true;
    this.#warn({ err }, 'Job failed; will retry');
    await pause(Math.max(AGAIN, this.#job.rest), undefined, { signal: this.#signal }).catch(() => {});
  }

  #warn(what: object, text: string): void {
    if (Date.now() >= this.#nextWarning) {
      this.#nextWarning = Date.now() + WARN_EVERY;
      this.#log.warn({ job: this.#job.name, ...what }, text);
    }
  }
}

/** Its statements may take any time, or wait for a lock. */
async function brokenOff(running: Promise<void>, cancel: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = running.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    // Between two statements a cancellation meets none.
    await cancel();
    await Promise.race([over, pause(CANCEL_EVERY, undefined, { ref: false })]);
  }
  await over;
}

/** Least milliseconds after a failure. */
const AGAIN = 1_000;

const WARN_EVERY = 60_000;

/** Milliseconds that a long turn adds to the rest after it: a job uses about half of its connection at most. */
const LONGEST_REST = 200;

const CANCEL_EVERY = 200;
