import type { Database } from '../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Actor } from '../changes/actor.ts';
import { type Change, type ChangeResult, changed, makeChange } from '../changes/make-change.ts';
import { lockWebhook, type StoredWebhook, type WebhookRef, webhookFields } from './stored-webhook.ts';

export interface DeletedWebhook extends StoredWebhook {
  /** The text of a `timestamptz`. */
  deletedAt: string;
}

/**
 * Deletes a webhook with its secrets, attempts and deliveries; nothing more is sent.
 *
 * @throws AppError `not_found`.
 */
export async function deleteWebhook(db: Database, actor: Actor, ref: WebhookRef): Promise<DeletedWebhook> {
  return makeChange(db, actor, (change) => removeWebhook(change, ref));
}

/** {@link deleteWebhook} within a change. */
export async function removeWebhook(change: Change, ref: WebhookRef): Promise<ChangeResult<DeletedWebhook>> {
  const webhook = await lockWebhook(change, ref);
  const { orgId, id } = webhook;
  for (const table of ['webhook_lanes', 'webhook_settled', 'webhook_secrets', 'webhook_attempts']) {
    await change.exec(sql.type(NO_ROWS)`
      delete from ${sql.identifier([table])} where org_id = ${orgId} and webhook_id = ${id}`);
  }
  const { deleted_at: deletedAt } = await change.one(sql.type(rowsOf<{ deleted_at: string }>())`
    update webhooks set deleted_at = now(), revision = revision + 1 where org_id = ${orgId} and id = ${id}
    returning deleted_at`);
  const resource = { type: 'webhook' as const, id };
  const before = webhookFields(webhook);
  return changed({ ...webhook, deletedAt }, [{ orgId, action: 'delete', resource, before, after: null }]);
}
