import type { Logger } from 'pino';
import { finishSearchIndexes } from '../../db/timescale/schema/search-indexes.ts';
import { finishRecomputations } from '../../domain/tracking/recompute/finish-recomputations.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';

/**
 * Does beside everything else what an upgrade left to do: builds indexes and computes histories anew. Stopping breaks it off; the next start goes
 * on from there.
 */
export async function startRecomputations(url: string, log: Logger, lifecycle: Lifecycle): Promise<void> {
  await lifecycle.start(
    'what an upgrade left to do',
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
    await finishSearchIndexes(url, {
      signal,
      onWaiting: () => log.info('Another process builds the indexes of searches; waiting for it'),
      onBegin: (index) =>
        log.info({ index }, 'Building an index for searches, which read every row until it is there'),
    });
    const all = await finishRecomputations(url, {
      signal,
      onWaiting: () => log.info('Another process computes histories anew; waiting for it'),
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
    log.error({ err }, 'What the upgrade left to do failed; the next start goes on');
  }
}

/** Milliseconds. */
const LOG_EVERY = 10_000;
