import type { Logger } from 'pino';
import { QUESTION_EVERY_MS, TRUSTED_MS } from '../../base/heard-everywhere.ts';
import { listen } from '../../db/timescale/connections/listen.ts';
import { CredentialCache, type CredentialRow } from './credential-cache.ts';

/**
 * Credentials, kept in this process and forgotten when the database says that one changed. While it cannot be heard,
 * every request looks its credential up, and so does one that comes when it is not sure that everything was heard.
 */
export async function startCredentials<Row extends CredentialRow>(
  url: string,
  look: (id: string) => Promise<Row | null>,
  log: Logger,
): Promise<{ cache: CredentialCache<Row>; stop(): Promise<void> }> {
  let isHeard = false;
  const now = () => performance.now();
  let heardUntil = () => Number.NEGATIVE_INFINITY;
  const cache = new CredentialCache({
    look,
    isFresh: () => isHeard && now() - heardUntil() < TRUSTED_MS,
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
  const listener = await listen(url, ['access_changed'], handlers, { questionEvery: QUESTION_EVERY_MS });
  heardUntil = listener.heardUntil;
  hear(true);
  return { cache, stop: () => listener.close() };
}
