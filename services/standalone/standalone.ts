import type { Logger } from 'pino';
import { messageOf } from '../../base/errors.ts';
import { allowLogin, requireAllowable } from '../../db/timescale/schema/allow-login.ts';
import { migrate } from '../../db/timescale/schema/migrate.ts';
import { readMigrations } from '../../db/timescale/schema/migrations.ts';
import { requireReachable } from '../../platform/runtime/database.ts';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import type { StandaloneConfig } from './config.ts';
import { type DatabaseUrls, startEmbeddedDatabase } from './database.ts';
import { ownSecretsKey } from './secrets-key.ts';
import type { Services } from './services.ts';

export interface Standalone extends Services {
  databaseUrl: string;
}

/**
 * Starts everything in this process: the embedded database (or migrates the one at DATABASE_URL), ingestion with its
 * broker (or from the broker at MQTT_URL), the handheld gateway and the API.
 *
 * @param durable false for disposable data.
 * @throws AppError naming the setting at fault.
 */
export async function startStandalone(
  config: StandaloneConfig,
  log: Logger,
  lifecycle: Lifecycle,
  durable = true,
): Promise<Standalone> {
  // The database comes up while this process loads what is to use it.
  const [{ ownerUrl, processUrl }, { startServices }] = await Promise.all([
    config.DATABASE_URL === null
      ? startEmbeddedDatabase({ data: config.TAGTRAIL_DATA, durable }, log, lifecycle)
      : migrated(config.DATABASE_URL, config.MIGRATE_DATABASE_URL, log),
    import('./services.ts'),
  ]);
  return {
    ...(await startServices(
      {
        ...config,
        DATABASE_URL: processUrl,
        MIGRATE_DATABASE_URL: ownerUrl,
        SECRETS_KEY: secretsKeyOf(config, log),
      },
      log,
      lifecycle,
    )),
    databaseUrl: processUrl,
  };
}

/** Without a setting, the key of the data folder, which is made at the first start. */
function secretsKeyOf({ SECRETS_KEY, DATABASE_URL, TAGTRAIL_DATA }: StandaloneConfig, log: Logger) {
  if (SECRETS_KEY !== null) {
    return SECRETS_KEY;
  }
  try {
    return ownSecretsKey(TAGTRAIL_DATA);
  } catch (error) {
    // With a database of its own elsewhere, tagtrail does without a data folder.
    if (DATABASE_URL === null) {
      throw error;
    }
    log.warn({ reason: messageOf(error) }, 'Webhooks are not delivered; set SECRETS_KEY');
    return null;
  }
}

async function migrated(processUrl: string, migrateUrl: string | null, log: Logger): Promise<DatabaseUrls> {
  const say = (what: string) => log.info(what);
  if (migrateUrl === null) {
    await requireReachable(processUrl);
    await migrate(processUrl, readMigrations(), { say });
    return { ownerUrl: processUrl, processUrl };
  }
  await requireReachable(migrateUrl, undefined, 'MIGRATE_DATABASE_URL');
  await requireAllowable(migrateUrl, processUrl);
  await migrate(migrateUrl, readMigrations(), { say });
  await allowLogin(migrateUrl, processUrl);
  return { ownerUrl: migrateUrl, processUrl };
}
