import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { AppError } from '../../../base/errors.ts';
import { FairSemaphore, type Place } from '../../../base/fair-semaphore.ts';
import type { TrialBounds, TrialSummary } from '../../../domain/tracking/location/run-trial.ts';
import type { Trial } from '../../../domain/tracking/location/try-on-assets.ts';
import type { TrialMessage, TrialProgress, TrialTask } from './trial-thread.ts';

const BOUNDS: TrialBounds = { scans: 300_000, assets: 50_000, moves: 200, pairs: 50, worst: 8 };

/**
 * Milliseconds. After this, a trial returns its results so far, asset by asset; after twice this, it fails. The worst
 * asset, with 240,000 of 300,000 scans within two windows, takes 7 s of processor time.
 */
const TIME = { whole: 30_000, statement: 10_000 };

/** Trials of a process at once: each has a thread with some 60 MB, and a connection to the database. */
const AT_ONCE = 3;

/**
 * Milliseconds after which a trial ends with its results so far, if another organization has waited as long for its
 * place.
 */
const SLICE = 5_000;

/** Milliseconds to end a trial that was asked to. */
const GRACE = 2_000;

const FOR_OTHERS = 'It took long while others waited, and was cancelled; try a shorter range';
const TOO_SLOW = 'It took too long and was cancelled; try a shorter range';

const TRIAL_THREAD = new URL('trial-thread.ts', import.meta.url);

/**
 * Trials of location settings, one at a time per organization. Each has its own thread and connection: judging 60,000
 * scans held the event loop for 0.13 s, and requests for *why* must not wait.
 */
export class Trials {
  readonly #settings: Pick<TrialTask, 'url' | 'applicationName' | 'bounds' | 'time'>;
  readonly #log: Logger;
  readonly #stopping: AbortSignal;
  readonly #turns = new FairSemaphore<number>({
    ...{ total: AT_ONCE, perKey: 1, perKeyWithRoom: 1, kept: 2, slice: SLICE },
    ...{ waitingPerKey: 10, patience: 2 * TIME.whole },
    refusal: () =>
      new AppError('timed_out', 'Others of the organization are trying settings; try again later'),
  });

  constructor(
    url: string,
    {
      applicationName,
      log,
      stopping,
      bounds = BOUNDS,
      time = TIME,
    }: {
      applicationName: string;
      log: Logger;
      stopping: AbortSignal;
      bounds?: TrialBounds | undefined;
      time?: TrialTask['time'] | undefined;
    },
  ) {
    this.#settings = { url, applicationName, bounds, time };
    this.#log = log;
    this.#stopping = stopping;
  }

  /** Under way now. */
  get running(): number {
    return this.#turns.running();
  }

  /**
   * Ends early with its results so far if others wait for its place.
   *
   * @param signal ends it, for example when the caller has gone.
   * @throws AppError `timed_out`, also if others of the organization take too long; the signal's reason.
   */
  run(
    trial: Omit<Trial, 'goesOn'>,
    { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: TrialProgress) => void },
  ): Promise<TrialSummary> {
    const over = AbortSignal.any([signal, this.#stopping]);
    return this.#turns.run(trial.orgId, (place) => this.#inThread(trial, over, onProgress, place), over);
  }

  #inThread(
    trial: Omit<Trial, 'goesOn'>,
    over: AbortSignal,
    onProgress: (progress: TrialProgress) => void,
    { asked }: Place,
  ): Promise<TrialSummary> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(TRIAL_THREAD, {
        workerData: { ...this.#settings, trial } satisfies TrialTask,
        // Beyond it the thread ends, and not the process.
        resourceLimits: { maxOldGenerationSizeMb: 256 },
      });
      const leave = () => {
        reject(over.reason);
        void worker.terminate();
      };
      const giveUp = (why = TOO_SLOW) => {
        reject(new AppError('timed_out', why));
        void worker.terminate();
      };
      let grace: NodeJS.Timeout | undefined;
      const hurry = () => {
        worker.postMessage('time is up');
        grace = setTimeout(() => giveUp(FOR_OTHERS), GRACE);
      };
      asked.addEventListener('abort', hurry, { once: true });
      over.addEventListener('abort', leave, { once: true });
      const timer = setTimeout(giveUp, 2 * this.#settings.time.whole);
      worker.on('message', (message: TrialMessage) => {
        if ('progress' in message) {
          onProgress(message.progress);
        } else if ('summary' in message) {
          resolve(message.summary);
        } else {
          reject(new AppError('timed_out', TOO_SLOW));
        }
      });
      worker.on('error', (err) => {
        this.#log.error({ err }, 'Trial of a location setting failed');
        reject(err);
      });
      worker.on('exit', () => {
        clearTimeout(timer);
        clearTimeout(grace);
        asked.removeEventListener('abort', hurry);
        over.removeEventListener('abort', leave);
        reject(new Error('the thread of the trial ended early'));
      });
    });
  }
}
