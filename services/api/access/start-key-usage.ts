import type { Logger } from 'pino';
import { messageOf } from '../../../base/errors.ts';
import { repeat } from '../../../platform/runtime/repeat.ts';
import { KeyUsage, type KeyUse } from './key-usage.ts';

/** Flushes uses every {@link PAUSE_MS} and at shutdown. Logs the beginning and the end of an outage once each. */
export function startKeyUsage(
  write: (uses: readonly KeyUse[]) => Promise<void>,
  log: Logger,
  pause = PAUSE_MS,
): { usage: KeyUsage; stop(): Promise<void> } {
  const usage = new KeyUsage({ write, now: () => performance.now() });
  let isOut = false;
  const flush = async () => {
    if ((await usage.flush()) && isOut) {
      isOut = false;
      log.info('Last use of API keys is recorded again');
    }
  };
  const onFault = (error: unknown) => {
    if (!isOut) {
      isOut = true;
      log.warn({ reason: messageOf(error) }, 'Last use of API keys cannot be recorded; it is kept for later');
    }
  };
  const repeating = repeat(pause, flush, onFault);
  return {
    usage,
    stop: async () => {
      await repeating.stop();
      await flush().catch(onFault);
    },
  };
}

const PAUSE_MS = 5_000;
