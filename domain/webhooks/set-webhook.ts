import type { Database } from '../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Actor } from '../changes/actor.ts';
import { differences } from '../changes/entry.ts';
import { type Change, changed, makeChange, unchanged } from '../changes/make-change.ts';
import { holdLiveLocation } from '../master-data/by-id-or-key.ts';
import type { WebhookSettings } from './create-webhook.ts';
import { forgetAttempts } from './lanes.ts';
import { requireKnownKey } from './require-known-key.ts';
import { addSecret, dropSecrets } from './secrets/stored-secrets.ts';
import {
  lockWebhook,
  requireWebhook,
  type State,
  type StoredWebhook,
  type WebhookRef,
  webhookFields,
} from './stored-webhook.ts';
import { normalizedTarget } from './targets/target-url.ts';
import { requireFields } from './webhook-fields.ts';

/** Changes of a webhook; absent fields stay. */
export interface WebhookChange {
  name?: string | undefined;
  url?: string | undefined;
  /** Null for all. */
  types?: readonly string[] | null | undefined;
  /** Null for everywhere. */
  locationExternalKey?: string | null | undefined;
  settleSeconds?: number | undefined;
  state?: State | undefined;
  /** Adds a secret, with which everything is signed as well; if there are two already, the older one ends. */
  rotatesSecret?: boolean | undefined;
  /** Ends all secrets but the newest. */
  dropsOldSecret?: boolean | undefined;
}

export interface SetWebhook {
  webhook: StoredWebhook;
  /** Null if no secret was made. The only copy that can be read. */
  secret: string | null;
}

/**
 * Changes a webhook; deliverers follow within seconds. Switched on, or sent elsewhere, it goes on where it was, at once.
 *
 * @throws AppError `invalid_input` (name, URL, types), `not_found` (webhook, location), OtherSecretsKey.
 */
export async function setWebhook(
  db: Database,
  actor: Actor,
  { keys, networks }: WebhookSettings,
  ref: WebhookRef,
  wanted: WebhookChange,
): Promise<SetWebhook> {
  requireFields(wanted, networks);
  return makeChange(db, actor, async (change) => {
    const before = await lockWebhook(change, ref);
    const owner = { orgId: before.orgId, webhookId: before.id };
    // Together with dropping the old one it is the way on after a key was lost.
    if (wanted.rotatesSecret === true && wanted.dropsOldSecret !== true) {
      await requireKnownKey(change, keys);
    }
    await update(change, before, wanted);
    const isSwitchedOn = wanted.state === 'on' && before.state !== 'on';
    if (isSwitchedOn || (wanted.url !== undefined && normalizedTarget(wanted.url) !== before.url)) {
      await forgetAttempts(change, owner);
    }
    const secret = wanted.rotatesSecret === true ? await addSecret(change, keys, owner) : null;
    const dropped = wanted.dropsOldSecret === true ? await dropSecrets(change, owner, 1) : 0;
    const webhook = await requireWebhook(change, ref);
    const differing = differences(
      { ...webhookFields(before), has_new_secret: false, has_dropped_secret: false },
      {
        ...webhookFields(webhook),
        types: String(webhook.types) === String(before.types) ? before.types : webhook.types,
        has_new_secret: secret !== null,
        has_dropped_secret: dropped > 0,
      },
    );
    const { orgId, id } = before;
    return differing === null
      ? unchanged({ webhook, secret })
      : changed({ webhook, secret }, [
          { orgId, action: 'update', resource: { type: 'webhook', id }, ...differing },
        ]);
  });
}

async function update(change: Change, before: StoredWebhook, wanted: WebhookChange): Promise<void> {
  const { orgId, id } = before;
  const { name = before.name, types = before.types, state = before.state } = wanted;
  const { settleSeconds = before.settleSeconds } = wanted;
  const url = wanted.url === undefined ? before.url : normalizedTarget(wanted.url);
  const locationId = await locationOf(change, before, wanted.locationExternalKey);
  const typesGiven = types === null ? null : sql.array([...new Set(types)], 'text');
  await change.exec(sql.type(NO_ROWS)`
    update webhooks set name = ${name}, url = ${url}, types = ${typesGiven}, location_id = ${locationId},
      settle_seconds = ${settleSeconds}, state = ${state}, revision = revision + 1,
      state_reason = case when ${state !== before.state}::boolean then null else state_reason end,
      state_at = case when ${state !== before.state}::boolean then now() else state_at end
    where org_id = ${orgId} and id = ${id}`);
}

async function locationOf(
  change: Change,
  { orgId, locationId }: StoredWebhook,
  key: string | null | undefined,
): Promise<number | null> {
  if (key === undefined) {
    return locationId;
  }
  return key === null ? null : holdLiveLocation(change, orgId, key);
}
