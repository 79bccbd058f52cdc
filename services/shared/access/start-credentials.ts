import type { Logger } from 'pino';
import { listen } from '../../../db/timescale/listen.ts';
import { CredentialCache, type CredentialRow } from './credential-cache.ts';

/**
 * Credentials, kept in this process and forgotten when the database says that one changed. While it cannot be heard,
 * every request looks its credential up.
 */
export async function startCredentials<Row extends CredentialRow>(
  url: string,
  look: (id: string) => Promise<Row | null>,
  log: Logger,
): Promise<{ cache: CredentialCache<Row>; stop(): Promise<void> }> {
  let isHeard = false;
  const cache = new CredentialCache({ look, isFresh: () => isHeard, now: () => performance.now() });
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
        'changes of credentials are not heard; they are looked up on every request',
      );
    },
  });
  hear(true);
  return { cache, stop: () => listener.close() };
}
