import { AppError } from '../../../base/errors.ts';
import type { WebhookSettings } from '../../../domain/webhooks/create-webhook.ts';
import type { SecretsKeys } from '../../../domain/webhooks/secrets/secrets-key.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { API_SETTINGS } from '../../api/config.ts';
import { ownSecretsKey, readOwnSecretsKey } from '../../standalone/secrets-key.ts';
import { running } from '../running/running.ts';
import { DATABASE_SETTINGS } from './database.ts';

const { SECRETS_KEY, WEBHOOK_NETWORKS } = API_SETTINGS;

/** @throws AppError `misconfigured` naming SECRETS_KEY. */
export function webhookSettings(): WebhookSettings {
  const config = readSettings({ ...DATABASE_SETTINGS, SECRETS_KEY, WEBHOOK_NETWORKS }, running().env);
  return {
    networks: config.WEBHOOK_NETWORKS,
    keys: config.SECRETS_KEY ?? keysOf(config.DATABASE_URL !== null, config.TAGTRAIL_DATA),
  };
}

/** The embedded database has its key beside it; another may be used by processes that need to be given the same. */
function keysOf(isElsewhere: boolean, data: string): SecretsKeys {
  const keys = isElsewhere ? readOwnSecretsKey(data) : ownSecretsKey(data);
  if (keys === null) {
    throw new AppError(
      'misconfigured',
      `SECRETS_KEY is not set, and webhooks need it; set SECRETS_KEY to ${SECRETS_KEY.remedy}, the same for every process`,
    );
  }
  return keys;
}
