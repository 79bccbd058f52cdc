import type { Logger } from 'pino';
import type { Lifecycle } from '../shared/runtime/lifecycle.ts';
import { finishRecomputations } from '../shared/tracking/recompute/finish-recomputations.ts';

/**
 * Has computed anew, beside everything else, what an upgrade left to compute. Stopping breaks it off; the next start goes
 * on from there.
 */
export async function startRecomputations(url: string, log: Logger, lifecycle: Lifecycle): Promise<void> {
  await lifecycle.start(
    'recomputation of histories',
    () => {
      const controller = new AbortController();
      return { controller, done: recompute(url, log, controller.signal) };
    },
    async ({ controller, done }) => {
      controller.abort();
      await done;
    },
  );
}

async function recompute(url: string, log: Logger, signal: AbortSignal): Promise<void> {
  let next = Date.now() + LOG_EVERY;
  try {
    const all = await finishRecomputations(url, {
      signal,
      onProgress: (sofar) => {
        if (Date.now() >= next) {
          next = Date.now() + LOG_EVERY;
          log.info(sofar, 'Computing histories anew');
        }
      },
    });
    for (const done of all) {
      log.info(
        done,
        done.isFinished ? 'Histories computed anew' : 'Computing histories anew goes on at the next start',
      );
    }
  } catch (err) {
    log.error({ err }, 'Histories could not be computed anew; the next start goes on');
  }
}

/** Milliseconds. */
const LOG_EVERY = 10_000;
