import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Micros } from '../../../base/instant.ts';
import { createRequestPool } from '../../../db/timescale/connections/pool.ts';
import { isCancelled } from '../../../db/timescale/connections/sql-state.ts';
import {
  runTrial,
  type TrialBounds,
  type TrialSummary,
} from '../../../domain/tracking/location/run-trial.ts';
import type { Trial } from '../../../domain/tracking/location/try-on-assets.ts';

export interface TrialTask {
  url: string;
  applicationName: string;
  trial: Omit<Trial, 'goesOn'>;
  bounds: TrialBounds;
  /** Milliseconds, of all of it and of each statement. */
  time: { whole: number; statement: number };
}

export interface TrialProgress {
  assets: number;
  of: number;
  until: Micros;
}

/** Messages of the thread: progress now and then, finally one of the others. */
export type TrialMessage = { progress: TrialProgress } | { summary: TrialSummary } | { isTooSlow: true };

/** Milliseconds from one message of progress to the next. */
const EVERY = 100;

const { url, applicationName, trial, bounds, time }: TrialTask = workerData;
const port = parentPort as MessagePort;
const post = (message: TrialMessage) => port.postMessage(message);
const start = performance.now();
let told = start;

const pool = createRequestPool(url, {
  ...{ max: 1, applicationName },
  patience: { statement: time.statement, answer: time.statement + 10_000 },
});
try {
  const client = await pool.connect();
  try {
    const summary = await runTrial(client, trial, bounds, {
      // The only message there is asks to end.
      isTimeUp: () => performance.now() - start > time.whole || receiveMessageOnPort(port) !== undefined,
      onProgress: (progress) => {
        if (performance.now() - told >= EVERY) {
          told = performance.now();
          post({ progress });
        }
      },
    });
    post({ summary });
  } finally {
    client.release();
  }
} catch (error) {
  if (!isCancelled(error)) {
    throw error;
  }
  post({ isTooSlow: true });
} finally {
  await pool.end();
}
