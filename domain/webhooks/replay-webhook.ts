import type { Database } from '../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Actor } from '../changes/actor.ts';
import { changed, makeChange } from '../changes/make-change.ts';
import { beginAfter } from './lanes.ts';
import { lockWebhook, type StoredWebhook, type WebhookRef } from './stored-webhook.ts';

/**
 * Delivers everything after a position again, or skips ahead. A paused webhook is switched on; one that is off begins
 * there once it is switched on.
 *
 * @throws AppError `not_found`, `invalid_input` if the feed has no such position.
 */
export async function replayWebhook(
  db: Database,
  actor: Actor,
  ref: WebhookRef,
  wanted: number,
): Promise<{ webhook: StoredWebhook; after: number }> {
  return makeChange(db, actor, async (change) => {
    const before = await lockWebhook(change, ref);
    const { orgId, id } = before;
    const after = await beginAfter(change, { orgId, webhookId: id }, wanted);
    await change.exec(sql.type(NO_ROWS)`
      update webhooks set state = 'on', state_reason = null, state_at = now()
      where org_id = ${orgId} and id = ${id} and state = 'paused'`);
    const webhook = await lockWebhook(change, ref);
    return changed({ webhook, after }, [
      {
        ...{ orgId, action: 'replay', resource: { type: 'webhook', id } },
        before: { state: before.state },
        after: { state: webhook.state, after },
      },
    ]);
  });
}
