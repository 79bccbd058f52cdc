import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds before the next attempt: from the first, doubling, to the longest. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;

/** Runs work that can be resumed until it ends without an error, or is aborted. */
export async function untilDone(
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
