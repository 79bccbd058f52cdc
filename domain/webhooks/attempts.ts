import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { SecretOwner } from './secrets/secrets-key.ts';
import type { Attempt } from './sending/deliver.ts';

/** Attempts kept of each webhook. */
export const KEPT_ATTEMPTS = 1_000;

export interface AttemptRow {
  id: number;
  /** The text of a `timestamptz`. */
  at: string;
  event_id: string;
  /** Null for test events, and for what could not be signed. */
  position: number | null;
  /** From 1. */
  attempt: number;
  status: number | null;
  error: string | null;
  milliseconds: number;
  answer: string | null;
}

/** Newest first. */
export function listAttempts(
  db: Connection,
  { orgId, webhookId }: SecretOwner,
  { limit, offset = 0 }: { limit: number; offset?: number },
): Promise<readonly AttemptRow[]> {
  return db.any(sql.type(rowsOf<AttemptRow>())`
    select id, at, event_id, position, attempt, status, error, milliseconds, answer
    from webhook_attempts where org_id = ${orgId} and webhook_id = ${webhookId}
    order by id desc
    limit ${Math.min(limit, KEPT_ATTEMPTS - Math.min(offset, KEPT_ATTEMPTS))} offset ${offset}`);
}

export async function countAttempts(db: Connection, { orgId, webhookId }: SecretOwner): Promise<number> {
  const { count } = await db.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) as count from (
      select from webhook_attempts where org_id = ${orgId} and webhook_id = ${webhookId} limit ${KEPT_ATTEMPTS}
    ) kept`);
  return count;
}

/** Stores an attempt that belongs to no lane. */
export async function keepAttempt(
  db: Connection,
  { orgId, webhookId }: SecretOwner,
  { eventId, status, error, milliseconds, answer }: Attempt,
): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    insert into webhook_attempts (org_id, webhook_id, at, event_id, attempt, status, error, milliseconds, answer)
    values (${orgId}, ${webhookId}, clock_timestamp(), ${eventId}, 1, ${status}, ${error}, ${milliseconds}, ${answer})`);
}
