import type { Logger } from 'pino';
import { QUESTION_EVERY_MS, TRUSTED_MS } from '../../base/heard-everywhere.ts';
import { type Listener, listen } from '../../db/timescale/connections/listen.ts';
import { CredentialCache, type CredentialRow } from './credential-cache.ts';

/**
 * A credential cache that LISTEN keeps current. While notifications do not arrive, or it is not certain that all did,
 * every request looks its credential up.
 */
export async function startCredentials<Row extends CredentialRow>(
  url: string,
  look: (id: string) => Promise<Row | null>,
  log: Logger,
): Promise<{ cache: CredentialCache<Row>; stop(): Promise<void> }> {
  let isHeard = false;
  const now = () => performance.now();
  let listener: Listener | null = null;
  const cache = new CredentialCache({
    look,
    isFresh: () => {
      listener?.ask();
      return isHeard && listener !== null && now() - listener.heardUntil() < TRUSTED_MS;
    },
    now,
  });
  const hear = (heard: boolean) => {
    isHeard = heard;
    cache.clear();
  };
  const handlers = {
    onNotify: () => cache.clear(),
    onReconnect: () => hear(true),
    onLost: (error: Error) => {
      hear(false);
      log.warn(
        { reason: error.message },
        'Credential changes are not being received; credentials are looked up on every request',
      );
    },
  };
  const listening = await listen(url, ['access_changed'], handlers, { questionEvery: QUESTION_EVERY_MS });
  listener = listening;
  hear(true);
  return { cache, stop: () => listening.close() };
}
