import type { Logger } from 'pino';
import { messageOf } from '../../base/errors.ts';

export interface Repeating {
  stop(): Promise<void>;
}

/**
 * Runs `task` now and again `pause` milliseconds after each run. A failed run is reported and does not stop
 * the next.
 */
export function repeat(
  pause: number,
  task: () => Promise<unknown>,
  onFault: (error: unknown) => void,
): Repeating {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const run = () => {
    running = task().then(
      () => {},
      (error: unknown) => onFault(error),
    );
    running.then(() => {
      if (!isStopped) {
        timer = setTimeout(run, pause);
      }
    });
  };
  run();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/**
 * Flushes counts every `pause` milliseconds and when it is stopped. Logs the beginning and the end of an
 * outage once each.
 *
 * @param flush returns false if there was nothing to write.
 */
export function repeatFlushing(
  pause: number,
  flush: () => Promise<boolean>,
  { log, lost, back }: { log: Logger; lost: string; back: string },
): Repeating {
  let isOut = false;
  const turn = async () => {
    if ((await flush()) && isOut) {
      isOut = false;
      log.info(back);
    }
  };
  const onFault = (error: unknown) => {
    if (!isOut) {
      isOut = true;
      log.warn({ reason: messageOf(error) }, lost);
    }
  };
  const repeating = repeat(pause, turn, onFault);
  return {
    stop: async () => {
      await repeating.stop();
      await turn().catch(onFault);
    },
  };
}
