import type { Logger } from 'pino';
import { untilDone } from '../../base/until-done.ts';
import { finishSearchIndexes } from '../../db/timescale/schema/search-indexes.ts';
import { finishRecomputations } from '../../domain/tracking/recompute/finish-recomputations.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';

/**
 * Finishes an upgrade in the background: builds indexes and recomputes histories. Where the database goes away it
 * resumes after a pause; where shutdown interrupts it, at the next start.
 */
export async function startRecomputations(url: string, log: Logger, lifecycle: Lifecycle): Promise<void> {
  await lifecycle.start(
    'what an upgrade left to do',
    () => {
      const controller = new AbortController();
      const { signal } = controller;
      const done = untilDone(() => recompute(url, log, signal), {
        signal,
        onFault: (err, pause) => log.error({ err, pause }, 'Work left by the upgrade failed; will resume'),
      });
      return { controller, done };
    },
    async ({ controller, done }) => {
      controller.abort();
      await done;
    },
  );
}

async function recompute(url: string, log: Logger, signal: AbortSignal): Promise<void> {
  let next = Date.now() + LOG_EVERY;
  await finishSearchIndexes(url, {
    signal,
    onWaiting: (who) => log.info({ who }, 'Waiting for another process to build the missing indexes'),
    onBlocked: (index, who) => log.info({ index, who }, 'Building an index waits for a transaction'),
    onBegin: (index) =>
      log.info({ index }, 'Building an index; what it is for reads every row until it is ready'),
  });
  const all = await finishRecomputations(url, {
    signal,
    onWaiting: (who) => log.info({ who }, 'Waiting for another process to recompute histories'),
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
}

/** Milliseconds. */
const LOG_EVERY = 10_000;
