import type { Logger } from 'pino';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { noteUses } from '../../domain/administration/credential-uses.ts';
import { type CredentialUsage, startCredentialUsage } from '../../platform/access/credential-usage.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';

/** Logins at the embedded broker, written down now and then. */
export async function startUses(
  db: Connection,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<{ ofReaders: CredentialUsage; ofConsumers: CredentialUsage }> {
  const { usage: ofReaders } = await lifecycle.start(
    'sign-ins of readers',
    () => startCredentialUsage((uses) => noteUses(db, 'readers', uses), { log, what: 'logins of readers' }),
    (started) => started.stop(),
  );
  const { usage: ofConsumers } = await lifecycle.start(
    'sign-ins of consumers',
    () =>
      startCredentialUsage((uses) => noteUses(db, 'mqtt_consumers', uses), {
        log,
        what: 'logins of consumers',
      }),
    (started) => started.stop(),
  );
  return { ofReaders, ofConsumers };
}
