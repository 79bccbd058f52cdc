import { randomUUID } from 'node:crypto';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { documentOf } from '../epcis/event.ts';
import { keepAttempt } from './attempts.ts';
import { TEST_TYPE } from './event-types.ts';
import type { SecretsKeys } from './secrets/secrets-key.ts';
import { loadSecrets } from './secrets/stored-secrets.ts';
import type { Agents } from './sending/agents.ts';
import { type Attempt, deliver } from './sending/deliver.ts';
import { requireWebhook, type WebhookRef } from './stored-webhook.ts';

/**
 * Sends a test event to a webhook, whatever its state, and waits for the answer; to a subscription of EPCIS a document
 * without events. Holds no database connection meanwhile.
 *
 * @throws AppError `not_found`, WrongSecretsKey.
 */
export async function testWebhook(
  db: Connection,
  { keys, agents }: { keys: SecretsKeys; agents: Agents },
  ref: WebhookRef,
  now: () => number = Date.now,
): Promise<Attempt> {
  const { orgId, id: webhookId, url, name, queryName } = await requireWebhook(db, ref);
  const owner = { orgId, webhookId };
  const secrets = await loadSecrets(db, keys, owner);
  const id = `test-${randomUUID()}`;
  const event = {
    specversion: '1.0',
    id,
    source: `/orgs/${orgId}/webhooks/${webhookId}`,
    type: TEST_TYPE,
    time: new Date(now()).toISOString(),
    datacontenttype: 'application/json',
    data: { webhook: { id: webhookId, name } },
  };
  const sent =
    queryName === null
      ? { body: JSON.stringify(event) }
      : {
          body: JSON.stringify(documentOf([], { queryName, subscriptionID: String(webhookId) })),
          isEpcis: true,
        };
  const attempt = await deliver(agents, { orgId, url, secrets, id, ...sent }, { now });
  await keepAttempt(db, owner, attempt);
  return attempt;
}
