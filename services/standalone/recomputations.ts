import type { Logger } from 'pino';
import { finishSearchIndexes } from '../../db/timescale/schema/search-indexes.ts';
import { finishRecomputations } from '../../domain/tracking/recompute/finish-recomputations.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';

/**
 * Finishes an upgrade in the background: builds indexes and recomputes histories. Shutdown interrupts it; the next
 * start continues.
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
      onWaiting: () => log.info('Waiting for another process to build the search indexes'),
      onBegin: (index) =>
        log.info({ index }, 'Building a search index; searches read every row until it is ready'),
    });
    const all = await finishRecomputations(url, {
      signal,
      onWaiting: () => log.info('Waiting for another process to recompute histories'),
      onProgress: (sofar) => {
        if (Date.now() >= next) {
          next = Date.now() + LOG_EVERY;
          log.info(sofar, 'Recomputing histories');
        }
      },
    });
    for (const done of all) {
      log.info(
        done,
        done.isFinished ? 'Histories recomputed' : 'Recomputing histories continues at the next start',
      );
    }
  } catch (err) {
    log.error({ err }, 'Work left by the upgrade failed; the next start continues it');
  }
}

/** Milliseconds. */
const LOG_EVERY = 10_000;
