import { AppError } from '../../base/errors.ts';
import { wireTime } from '../../base/timestamps.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Fields } from '../changes/entry.ts';
import type { FeedType } from '../moves/event.ts';

const REASONS: Readonly<Record<StateReason, string>> = {
  gone: 'the receiver answered 410',
  undeliverable: 'the last attempt failed',
  expired: 'the next events are no longer kept',
};

export const STATES = ['on', 'off', 'paused'] as const;

export type State = (typeof STATES)[number];

/** Reasons why tagtrail itself changed the state. */
export type StateReason = 'gone' | 'undeliverable' | 'expired';

export interface StoredWebhook {
  id: number;
  orgId: number;
  name: string;
  url: string;
  /** Null for all. */
  types: FeedType[] | null;
  locationId: number | null;
  locationExternalKey: string | null;
  /** How long an asset's events wait, to be sent as their net change. */
  settleSeconds: number;
  /** The named query of EPCIS that it is subscribed to; null if it sends moves. */
  queryName: string | null;
  state: State;
  stateReason: StateReason | null;
  /** The text of a `timestamptz`, as is the next. */
  stateAt: string;
  createdAt: string;
}

export interface WebhookRow {
  id: number;
  org_id: number;
  name: string;
  url: string;
  types: FeedType[] | null;
  location_id: number | null;
  location_external_key: string | null;
  settle_seconds: number;
  query_name: string | null;
  state: State;
  state_reason: StateReason | null;
  state_at: string;
  created_at: string;
}

/** Columns of {@link LIVE_WEBHOOKS}. */
export const WEBHOOK_COLUMNS = sql.fragment`webhook.id, webhook.org_id, webhook.name, webhook.url, webhook.types,
  webhook.location_id, (
    select external_key from locations location
    where location.org_id = webhook.org_id and location.id = webhook.location_id
  ) as location_external_key,
  webhook.settle_seconds, webhook.epcis ->> 'queryName' as query_name, webhook.state, webhook.state_reason, webhook.state_at, webhook.created_at`;

/** `webhook`s that are not deleted, of organizations that are not either. */
export const LIVE_WEBHOOKS = sql.fragment`webhooks webhook
    join organizations organization on organization.id = webhook.org_id
      and organization.deleted_at is null and webhook.deleted_at is null`;

export function toWebhook(row: WebhookRow): StoredWebhook {
  return {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    url: row.url,
    types: row.types,
    locationId: row.location_id,
    locationExternalKey: row.location_external_key,
    settleSeconds: row.settle_seconds,
    queryName: row.query_name,
    state: row.state,
    stateReason: row.state_reason,
    stateAt: row.state_at,
    createdAt: row.created_at,
  };
}

/** A webhook as the API and the command line show it. */
export function shownWebhook(webhook: StoredWebhook) {
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    types: webhook.types,
    location_external_key: webhook.locationExternalKey,
    settle_seconds: webhook.settleSeconds,
    state: webhook.state,
    state_reason: webhook.stateReason,
    state_at: wireTime(webhook.stateAt),
    created_at: wireTime(webhook.createdAt),
  };
}

/** A webhook as the change log has it. */
export function webhookFields(webhook: StoredWebhook): Fields {
  const { name, url, types, locationExternalKey, settleSeconds, state } = webhook;
  return {
    ...{ name, url, types, location_external_key: locationExternalKey },
    ...{ settle_seconds: settleSeconds, state },
  };
}

export interface WebhookRef {
  /** Null for any organization. */
  orgId: number | null;
  id: number;
}

/** @throws AppError `not_found`. */
export async function requireWebhook(db: Connection, ref: WebhookRef): Promise<StoredWebhook> {
  return found(
    ref,
    await db.maybeOne(sql.type(rowsOf<WebhookRow>())`
      select ${WEBHOOK_COLUMNS} from ${LIVE_WEBHOOKS} where ${isRef(ref)}`),
  );
}

/** {@link requireWebhook}, locked until the transaction ends. */
export async function lockWebhook(transaction: Connection, ref: WebhookRef): Promise<StoredWebhook> {
  return found(
    ref,
    await transaction.maybeOne(sql.type(rowsOf<WebhookRow>())`
      select ${WEBHOOK_COLUMNS} from ${LIVE_WEBHOOKS} where ${isRef(ref)} for no key update of webhook`),
  );
}

function isRef({ orgId, id }: WebhookRef) {
  return sql.fragment`webhook.id = ${id} and (${orgId}::integer is null or webhook.org_id = ${orgId}::integer)`;
}

function found({ id }: WebhookRef, row: WebhookRow | null): StoredWebhook {
  if (row === null) {
    throw new AppError('not_found', `Webhook ${id} not found`);
  }
  return toWebhook(row);
}

/** `paused: the last attempt failed`. */
export function sayState({ state, stateReason }: Pick<StoredWebhook, 'state' | 'stateReason'>): string {
  return stateReason === null ? state : `${state}: ${REASONS[stateReason]}`;
}
