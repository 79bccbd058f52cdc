import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { AttemptRow } from '../../../domain/webhooks/attempts.ts';
import type { ListedWebhook } from '../../../domain/webhooks/list-webhooks.ts';
import type { Attempt } from '../../../domain/webhooks/sending/deliver.ts';
import type { StoredWebhook } from '../../../domain/webhooks/stored-webhook.ts';

export function webhookView(webhook: ListedWebhook) {
  const { lastAttempt } = webhook;
  return {
    ...shownWebhook(webhook),
    position: webhook.position,
    head: webhook.head,
    secrets_since: webhook.secretsSince.map(wireTime),
    last_attempt:
      lastAttempt === null
        ? null
        : { at: wireTime(lastAttempt.at), status: lastAttempt.status, error: lastAttempt.error },
    next_attempt_at: wireTimeOrNull(webhook.nextAttemptAt),
  };
}

export function shownWebhook(webhook: StoredWebhook) {
  return {
    id: webhook.id,
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

export function attemptView(row: AttemptRow) {
  return {
    id: row.id,
    at: wireTime(row.at),
    position: row.position,
    attempt: row.attempt,
    event_id: row.event_id,
    status: row.status,
    error: row.error,
    milliseconds: row.milliseconds,
    answer: row.answer,
  };
}

export function testView({ outcome, eventId, status, error, milliseconds, answer }: Attempt) {
  return { delivered: outcome === 'delivered', event_id: eventId, status, error, milliseconds, answer };
}
