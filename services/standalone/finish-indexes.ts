import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { finishSearchIndexes } from '../../db/timescale/schema/search-indexes.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';

/**
 * Builds missing indexes in the background. Where the database goes away it resumes after a pause; where shutdown
 * interrupts it, at the next start.
 */
export async function startFinishingIndexes(url: string, log: Logger, lifecycle: Lifecycle): Promise<void> {
  await lifecycle.start(
    'missing indexes',
    () => {
      const controller = new AbortController();
      const { signal } = controller;
      const done = untilDone(() => finish(url, log, signal), {
        signal,
        onFault: (err, pause) => log.error({ err, pause }, 'Building missing indexes failed; will resume'),
      });
      return { controller, done };
    },
    async ({ controller, done }) => {
      controller.abort();
      await done;
    },
  );
}

async function finish(url: string, log: Logger, signal: AbortSignal): Promise<void> {
  await finishSearchIndexes(url, {
    signal,
    onWaiting: (who) => log.info({ who }, 'Waiting for another process to build the missing indexes'),
    onBlocked: (index, who) => log.info({ index, who }, 'Building an index waits for a transaction'),
    onBegin: (index) =>
      log.info({ index }, 'Building an index; what it is for reads every row until it is ready'),
  });
}

/** Milliseconds before the next attempt: from the first, doubling, to the longest. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;

/** Runs work that can be resumed until it ends without an error, or is aborted. */
async function untilDone(
  work: () => Promise<void>,
  { signal, onFault }: { signal: AbortSignal; onFault(error: unknown, pause: number): void },
): Promise<void> {
  for (let next = FIRST_PAUSE; !signal.aborted; next = Math.min(next * 2, LONGEST_PAUSE)) {
    try {
      return await work();
    } catch (error) {
      onFault(error, next);
      await pause(next, undefined, { signal }).catch(() => {});
    }
  }
}
