import type { Networks } from '../../base/networks.ts';
import type { Database } from '../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { holdLiveOrganization } from '../administration/organizations/live-organization.ts';
import type { Actor } from '../changes/actor.ts';
import { type Change, type ChangeResult, changed, makeChange } from '../changes/make-change.ts';
import { requireRoom } from '../changes/require-room.ts';
import type { SubscribedQuery } from '../epcis/subscribed.ts';
import { holdLiveLocation } from '../master-data/by-id-or-key.ts';
import { beginAfter } from './lanes.ts';
import { requireKnownKey } from './require-known-key.ts';
import type { SecretsKeys } from './secrets/secrets-key.ts';
import { addSecret } from './secrets/stored-secrets.ts';
import { requireWebhook, type StoredWebhook, webhookFields } from './stored-webhook.ts';
import { hostOf, normalizedTarget } from './targets/target-url.ts';
import { requireFields } from './webhook-fields.ts';

export interface NewWebhook {
  orgId: number;
  /** The receiver's host if left out. */
  name?: string | undefined;
  url: string;
  /** Null or left out for all. */
  types?: readonly string[] | null | undefined;
  /** Only events that touch this location or one below it. */
  locationExternalKey?: string | null | undefined;
  /** 0 if left out. */
  settleSeconds?: number | undefined;
  /** Begins after this position; by default at the head of the feed. */
  after?: number | undefined;
  /** Sends documents of EPCIS with what matches, in place of the moves themselves. */
  epcis?: SubscribedQuery;
  /** One is made if left out. */
  secret?: string | undefined;
}

/** The configuration for making or using webhooks. */
export interface WebhookSettings {
  keys: SecretsKeys;
  networks: Networks;
}

export interface CreatedWebhook {
  webhook: StoredWebhook;
  /** The only copy that can be read. */
  secret: string;
}

/**
 * Creates a webhook, which is on.
 *
 * @throws AppError `invalid_input` (name, URL, types, position), `not_found` (organization, location), `conflict` (too many),
 * OtherSecretsKey.
 */
export async function createWebhook(
  db: Database,
  actor: Actor,
  settings: WebhookSettings,
  wanted: NewWebhook,
): Promise<CreatedWebhook> {
  return makeChange(db, actor, async (change) => {
    await holdLiveOrganization(change, wanted.orgId);
    return addWebhook(change, settings, wanted);
  });
}

/** {@link createWebhook} for a live organization. */
export async function addWebhook(
  change: Change,
  { keys, networks }: WebhookSettings,
  wanted: NewWebhook,
): Promise<ChangeResult<CreatedWebhook>> {
  requireFields(wanted, networks);
  await requireKnownKey(change, keys);
  const { orgId, after } = wanted;
  await requireRoom(change, orgId, 'webhooks');
  const id = await insertWebhook(change, wanted);
  await beginAfter(change, { orgId, webhookId: id }, after);
  const secret = await addSecret(change, keys, { orgId, webhookId: id }, wanted.secret);
  const webhook = await requireWebhook(change, { orgId, id });
  return changed({ webhook, secret }, [
    {
      orgId,
      action: 'create',
      resource: { type: 'webhook', id },
      before: null,
      after: webhookFields(webhook),
    },
  ]);
}

async function insertWebhook(
  change: Change,
  { orgId, name, url: given, types = null, locationExternalKey = null, settleSeconds = 0, epcis }: NewWebhook,
): Promise<number> {
  const locationId =
    locationExternalKey === null ? null : await holdLiveLocation(change, orgId, locationExternalKey);
  const url = normalizedTarget(given);
  const typesGiven = types === null ? null : sql.array([...new Set(types)], 'text');
  const { id } = await change.one(sql.type(rowsOf<{ id: number }>())`
    insert into webhooks (org_id, name, url, types, location_id, settle_seconds, epcis)
    values (${orgId}, ${name ?? hostOf(new URL(url)).slice(0, 255)}, ${url}, ${typesGiven}, ${locationId}, ${settleSeconds},
      ${epcis === undefined ? null : JSON.stringify(epcis)}::json)
    returning id`);
  return id;
}
