import { wireTime, wireTimeOrNull } from '../../base/timestamps.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import {
  LIVE_WEBHOOKS,
  type StoredWebhook,
  toWebhook,
  WEBHOOK_COLUMNS,
  type WebhookRow,
} from './stored-webhook.ts';

export interface ListedWebhook extends StoredWebhook {
  /** Everything up to here is delivered. */
  position: number;
  /** Of the feed. */
  head: number;
  /** The times since which its secrets have been valid, the newest first; texts of `timestamptz`. */
  secretsSince: string[];
  lastAttempt: { at: string; status: number | null; error: string | null } | null;
  /** Time of the next retry, if any event was refused. */
  nextAttemptAt: string | null;
}

interface ListedRow extends WebhookRow {
  position: number;
  head: number;
  secrets_since: string[];
  last_at: string | null;
  last_status: number | null;
  last_error: string | null;
  next_attempt_at: string | null;
}

const LISTED = sql.fragment`${WEBHOOK_COLUMNS}, coalesce(lanes.position, 0) as position, coalesce(feed.head, 0) as head,
  lanes.next_attempt_at,
  array(
    select secret.created_at::text from webhook_secrets secret
    where secret.org_id = webhook.org_id and secret.webhook_id = webhook.id
    order by secret.id desc
  ) as secrets_since,
  last.at as last_at, last.status as last_status, last.error as last_error`;

const FIGURES = sql.fragment`
  left join move_heads feed on feed.org_id = webhook.org_id
  left join lateral (
    select min(lane.position) as position, min(lane.due_at) filter (where lane.attempts > 0) as next_attempt_at
    from webhook_lanes lane where lane.org_id = webhook.org_id and lane.webhook_id = webhook.id
  ) lanes on true
  left join lateral (
    select attempt.at, attempt.status, attempt.error from webhook_attempts attempt
    where attempt.org_id = webhook.org_id and attempt.webhook_id = webhook.id
    order by attempt.id desc limit 1
  ) last on true`;

/** The webhooks of an organization, oldest first. */
export async function listWebhooks(
  db: Connection,
  orgId: number,
  { limit, offset }: { limit: number | null; offset: number } = { limit: null, offset: 0 },
): Promise<ListedWebhook[]> {
  const rows = await db.any(sql.type(rowsOf<ListedRow>())`
    select ${LISTED} from ${LIVE_WEBHOOKS} ${FIGURES}
    where webhook.org_id = ${orgId}
    order by webhook.id
    limit ${limit}::integer offset ${offset}`);
  return rows.map(toListed);
}

export async function countWebhooks(db: Connection, orgId: number): Promise<number> {
  const { count } = await db.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) as count from ${LIVE_WEBHOOKS} where webhook.org_id = ${orgId}`);
  return count;
}

/** One of an organization's webhooks; null if there is none with this id. */
export async function findListedWebhook(
  db: Connection,
  orgId: number,
  id: number,
): Promise<ListedWebhook | null> {
  const row = await db.maybeOne(sql.type(rowsOf<ListedRow>())`
    select ${LISTED} from ${LIVE_WEBHOOKS} ${FIGURES} where webhook.org_id = ${orgId} and webhook.id = ${id}`);
  return row === null ? null : toListed(row);
}

function toListed(row: ListedRow): ListedWebhook {
  return {
    ...toWebhook(row),
    position: row.position,
    head: row.head,
    secretsSince: row.secrets_since,
    lastAttempt:
      row.last_at === null ? null : { at: row.last_at, status: row.last_status, error: row.last_error },
    nextAttemptAt: row.next_attempt_at,
  };
}

/** How far a webhook has come, as the API and the command line show it. */
export function shownProgress({ position, head, secretsSince, lastAttempt, nextAttemptAt }: ListedWebhook) {
  return {
    position,
    head,
    secrets_since: secretsSince.map(wireTime),
    last_attempt: lastAttempt === null ? null : { ...lastAttempt, at: wireTime(lastAttempt.at) },
    next_attempt_at: wireTimeOrNull(nextAttemptAt),
  };
}
