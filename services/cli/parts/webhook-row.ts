import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { ListedWebhook } from '../../../domain/webhooks/list-webhooks.ts';
import { sayState } from '../../../domain/webhooks/say-state.ts';
import type { StoredWebhook } from '../../../domain/webhooks/stored-webhook.ts';
import { forTerminal } from '../command-line/for-terminal.ts';

/** A webhook in the output for programs. */
export function webhookRow(webhook: StoredWebhook) {
  return {
    id: webhook.id,
    org_id: webhook.orgId,
    name: webhook.name,
    url: webhook.url,
    types: webhook.types,
    location_external_key: webhook.locationExternalKey,
    state: webhook.state,
    state_reason: webhook.stateReason,
    state_at: wireTime(webhook.stateAt),
    created_at: wireTime(webhook.createdAt),
  };
}

export function listedWebhookRow(webhook: ListedWebhook) {
  const { position, head, secretsSince, lastAttempt, nextAttemptAt } = webhook;
  return {
    ...webhookRow(webhook),
    position,
    head,
    secrets_since: secretsSince.map(wireTime),
    last_attempt: lastAttempt === null ? null : { ...lastAttempt, at: wireTime(lastAttempt.at) },
    next_attempt_at: wireTimeOrNull(nextAttemptAt),
  };
}

export function sayWebhook(webhook: StoredWebhook): string {
  const { id, name, url, types, locationExternalKey } = webhook;
  return `Webhook ${id} (${forTerminal(name)}): ${sayState(webhook)}, ${url}, ${
    types === null ? 'every type' : types.join(', ')
  }, ${locationExternalKey === null ? 'everywhere' : `at or below ${locationExternalKey}`}`;
}
