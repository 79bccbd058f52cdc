import { AppError } from '../../base/errors.ts';
import { TAGTRAIL } from '../../base/typed-command.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { SecretsKeys } from './secrets/secrets-key.ts';
import { LIVE_WEBHOOKS } from './stored-webhook.ts';

/** SECRETS_KEY opens none of the stored secrets, so the delivering process has another key. */
export class OtherSecretsKey extends AppError {
  constructor() {
    super(
      'misconfigured',
      `SECRETS_KEY differs from the key of the present webhooks' secrets, so the service could not sign; set SECRETS_KEY to the service's value (to replace it: the new key, a comma, the old one). If that key is lost, give each webhook a new secret: ${TAGTRAIL} webhook set --webhook ... --rotate-secret --drop-old-secret`,
    );
  }
}

/**
 * Refuses keys that open none of the stored secrets. On a connection of one organization, only its own secrets count.
 *
 * @throws OtherSecretsKey.
 */
export async function requireKnownKey(db: Connection, keys: SecretsKeys): Promise<void> {
  const ids = sql.array(
    keys.map(({ id }) => id),
    'text',
  );
  const row = await db.one(sql.type(rowsOf<{ has_secrets: boolean; can_open: boolean }>())`
    select exists (select from ${LIVE_SECRETS}) as has_secrets,
      exists (select from ${LIVE_SECRETS} where secret.key_id = any(${ids}::text[])) as can_open`);
  if (row.has_secrets && !row.can_open) {
    throw new OtherSecretsKey();
  }
}

const LIVE_SECRETS = sql.fragment`${LIVE_WEBHOOKS}
  join webhook_secrets secret on secret.org_id = webhook.org_id and secret.webhook_id = webhook.id`;
