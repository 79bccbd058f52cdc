import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { AppError } from '../../../base/errors.ts';
import { FairSemaphore, type Place } from '../../../base/fair-semaphore.ts';
import type { TrialBounds, TrialSummary } from '../../../domain/tracking/location/run-trial.ts';
import type { Trial } from '../../../domain/tracking/location/try-on-assets.ts';
import type { TrialMessage, TrialProgress, TrialTask } from './trial-thread.ts';

const BOUNDS: TrialBounds = { scans: 300_000, assets: 50_000, moves: 200, pairs: 50, worst: 8 };

/**
 * Milliseconds. What is found until then is told, asset by asset; after twice that, all of it is given up. The worst, an asset
 * with 300,000 scans of which 240,000 lie within two windows, takes 7 s of processor time.
 */
const TIME = { whole: 30_000, statement: 10_000 };

/** Trials of a process at once: each has a thread with some 60 MB, and a connection to the database. */
const AT_ONCE = 3;

/** Milliseconds after which a trial ends with what it has, if another organization has waited as long for its place. */
const SLICE = 5_000;

/** Milliseconds to end a trial that was asked to. */
const GRACE = 2_000;

const FOR_OTHERS = 'It took long while others waited, and was cancelled; try a shorter range';
const TOO_SLOW = 'It took too long and was cancelled; try a shorter range';

const TRIAL_THREAD = new URL('trial-thread.ts', import.meta.url);

/**
 * Tries of location settings, one of an organization at a time. Each runs in a thread of its own, on a connection of its own: the scans
 * of a window may be a hundred thousand, and judging 60,000 held up the event loop for 0.13 s, and 0.004 now; and
 * who asks meanwhile why an asset is where it is must not wait for it.
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
   * Ends early, with what it found until then, if others wait for its place.
   *
   * @param signal ends it: when whoever asked has gone.
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
