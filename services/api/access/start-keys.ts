import type { Logger } from 'pino';
import { listen } from '../../../db/timescale/listen.ts';
import { KeyCache } from './key-cache.ts';
import type { KeyRow } from './queries.ts';

/**
 * Keys, kept in this process and forgotten when the database says that one changed. While it cannot be heard, every
 * request looks its key up.
 */
export async function startKeys(
  url: string,
  look: (id: string) => Promise<KeyRow | null>,
  log: Logger,
): Promise<{ cache: KeyCache; stop(): Promise<void> }> {
  let isHeard = false;
  const cache = new KeyCache({ look, isFresh: () => isHeard, now: () => performance.now() });
  const hear = (heard: boolean) => {
    isHeard = heard;
    cache.clear();
  };
  const listener = await listen(url, ['access_changed'], {
    onNotify: () => cache.clear(),
    onReconnect: () => hear(true),
    onLost: (error) => {
      hear(false);
      log.warn(
        { reason: error.message },
        'changes of keys are not heard; keys are looked up on every request',
      );
    },
  });
  hear(true);
  return { cache, stop: () => listener.close() };
}
