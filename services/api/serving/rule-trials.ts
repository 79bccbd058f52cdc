import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError, type AppErrorCode, DatabaseUnavailable, TooMuchWork } from '../../../base/errors.ts';
import { FairSemaphore, type Place } from '../../../base/fair-semaphore.ts';
import type { TrialOptions, TrialResult } from '../../../domain/alerts/trial/run-trial.ts';
import type { Trial } from '../../../domain/alerts/trial/try-rule.ts';
import { isOutOfMemory } from '../../../platform/runtime/work-threads.ts';

export interface RuleTrialTask {
  url: string;
  readUrl: string | null;
  applicationName: string;
  /** Milliseconds, of a statement. */
  timeout: number;
  trial: Trial;
  bounds: TrialOptions['bounds'];
  batch: number;
}

export interface TrialFailure {
  code: AppErrorCode | 'too_much_work';
  message: string;
  isDatabase: boolean;
}

/** `asks` requests the organization's turn, and whether to continue; the others are final. */
export type RuleTrialMessage = { asks: true } | { result: TrialResult } | { failure: TrialFailure };

export interface RuleTrialOptions extends Pick<TrialOptions, 'bounds' | 'batch'> {
  /** Asked before the first batch, and after each. */
  goesOn(): Promise<boolean>;
}

/** Trials of a process at once: each has a thread, and a connection to the database. */
const AT_ONCE = 3;

/** Milliseconds after which a trial is ended that never asked for its turn. */
const MOST_TIME = 60_000;

/**
 * Milliseconds after which a trial ends with its results so far, if another organization has waited as long for its
 * place.
 */
const SLICE = 5_000;

/** Milliseconds to end a trial that was asked to. */
const GRACE = 2_000;

const FOR_OTHERS = 'It took long while others waited, and was cancelled; try a later time, or fewer assets';
const TOO_SLOW = 'It took too long and was cancelled; try a later time, or fewer assets';

/**
 * Tries of rules, one of an organization at a time. Each runs in a thread of its own, on a connection of its own: evidence
 * of a single asset may be 200,000 pieces of each kind, which would hold the event loop for two seconds.
 */
export class RuleTrials {
  readonly #source: Pick<RuleTrialTask, 'url' | 'readUrl' | 'applicationName' | 'timeout'>;
  readonly #thread: string;
  readonly #turns = new FairSemaphore<number>({
    ...{ total: AT_ONCE, perKey: 1, perKeyWithRoom: 1, kept: 2, slice: SLICE },
    ...{ waitingPerKey: 10, patience: MOST_TIME },
    refusal: () => new AppError('timed_out', 'Others of the organization are trying rules; try again later'),
  });

  constructor(
    source: Pick<RuleTrialTask, 'url' | 'readUrl' | 'applicationName' | 'timeout'>,
    thread: string,
  ) {
    this.#source = source;
    this.#thread = thread;
  }

  /**
   * Ends early with its results so far if others wait for its place.
   *
   * @param signal ends it, for example when the caller has gone.
   * @throws TooMuchWork; AppError `timed_out`, also if others of the organization take too long; errors of the
   * database; the signal's reason.
   */
  run(trial: Trial, options: RuleTrialOptions, signal: AbortSignal): Promise<TrialResult> {
    return this.#turns.run(trial.orgId, (place) => this.#inThread(trial, options, signal, place), signal);
  }

  async #inThread(
    trial: Trial,
    { bounds, batch, goesOn }: RuleTrialOptions,
    signal: AbortSignal,
    { asked }: Place,
  ): Promise<TrialResult> {
    const workerData: RuleTrialTask = { ...this.#source, trial, bounds, batch };
    const tooLate = AbortSignal.timeout(MOST_TIME);
    const cut = new AbortController();
    const askedLongAgo = () => setTimeout(() => cut.abort(), GRACE).unref();
    asked.addEventListener('abort', askedLongAgo);
    // Beyond its memory the thread ends, and not the process.
    const worker = new Worker(new URL(this.#thread), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    try {
      const options = { signal: AbortSignal.any([signal, tooLate, cut.signal]), close: ['exit'] };
      for await (const [message] of on(worker, 'message', options) as AsyncIterable<[RuleTrialMessage]>) {
        if ('result' in message) {
          return message.result;
        }
        if ('failure' in message) {
          throw errorOf(message.failure);
        }
        worker.postMessage((await goesOn()) && !asked.aborted);
      }
      throw new Error('the thread of the trial ended early');
    } catch (error) {
      signal.throwIfAborted();
      throw tooLate.aborted || cut.signal.aborted
        ? new AppError('timed_out', tooLate.aborted ? TOO_SLOW : FOR_OTHERS, { cause: error })
        : isOutOfMemory(error)
          ? new TooMuchWork('more evidence than fits in memory', { cause: error })
          : error;
    } finally {
      asked.removeEventListener('abort', askedLongAgo);
      await worker.terminate();
    }
  }
}

function errorOf({ code, message, isDatabase }: TrialFailure): Error {
  if (code === 'too_much_work') {
    return new TooMuchWork(message);
  }
  return isDatabase ? new DatabaseUnavailable(message, null) : new AppError(code, message);
}
