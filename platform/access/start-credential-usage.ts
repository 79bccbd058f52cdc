import type { Logger } from 'pino';
import { messageOf } from '../../base/errors.ts';
import { repeat } from '../runtime/repeat.ts';
import { CredentialUsage, type CredentialUse } from './credential-usage.ts';

type UsedCredentials =
  | 'API keys'
  | 'sessions'
  | 'tokens of handhelds'
  | 'logins of readers'
  | 'logins of consumers';

/** Flushes uses every {@link PAUSE_MS} and at shutdown. Logs the beginning and the end of an outage once each. */
export function startCredentialUsage(
  write: (uses: readonly CredentialUse[]) => Promise<void>,
  { log, what, pause = PAUSE_MS }: { log: Logger; what: UsedCredentials; pause?: number },
): { usage: CredentialUsage; stop(): Promise<void> } {
  const usage = new CredentialUsage({ write, now: () => performance.now() });
  let isOut = false;
  const flush = async () => {
    if ((await usage.flush()) && isOut) {
      isOut = false;
      log.info(`Last use of ${what} is recorded again`);
    }
  };
  const onFault = (error: unknown) => {
    if (!isOut) {
      isOut = true;
      log.warn({ reason: messageOf(error) }, `Last use of ${what} cannot be recorded; it is kept for later`);
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
