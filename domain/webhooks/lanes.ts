import { AppError } from '../../base/errors.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Change } from '../changes/make-change.ts';
import type { SecretOwner } from './secrets/secrets-key.ts';

/** Lanes of a webhook. An event that is refused holds up the assets of its lane and no others. */
export const LANES = 8;

/** The lane of an asset's events, of a `move`; alerts are in that of their asset, or by their reader. */
export const LANE_OF_MOVE = sql.fragment`(coalesce(move.asset_id, (move.rows -> 'alert' -> 0 ->> 'asset_id')::integer,
  (move.rows -> 'alert' -> 0 ->> 'reader_id')::integer) & 7)`;

/** The feed cannot be followed after this position: only from `min` to `max`. */
export class NotInFeed extends AppError {
  readonly position: number;
  readonly min: number;
  readonly max: number;

  constructor(position: number, { orgId, min, max }: { orgId: number; min: number; max: number }) {
    super(
      'invalid_input',
      `Position ${position} is ${position > max ? 'not there yet' : 'no longer kept'}: the feed of organization ${orgId} can be followed after ${min} to ${max}`,
    );
    this.position = position;
    this.min = min;
    this.max = max;
  }
}

interface Feed {
  head: number;
  oldest: number;
}

async function feedOf(db: Connection, orgId: number): Promise<Feed> {
  const row = await db.maybeOne(sql.type(rowsOf<Feed>())`
    select head, oldest from move_heads where org_id = ${orgId}`);
  return row ?? { head: 0, oldest: 1 };
}

/**
 * Makes a webhook continue after a position; at the head if none is given, and with all that is kept if it is 0. The
 * process that delivers for it stops, and the webhook is claimed again from there.
 *
 * @returns the position after which it continues.
 * @throws AppError `invalid_input` if the feed has no such position, or no longer keeps the next one.
 */
export async function beginAfter(
  change: Change,
  { orgId, webhookId }: SecretOwner,
  after: number | undefined,
): Promise<number> {
  const { head, oldest } = await feedOf(change, orgId);
  const position = after === 0 ? oldest - 1 : (after ?? head);
  if (position > head || position < oldest - 1) {
    throw new NotInFeed(position, { orgId, min: oldest - 1, max: head });
  }
  await change.exec(sql.type(NO_ROWS)`
    insert into webhook_lanes (org_id, webhook_id, lane, position)
    select ${orgId}, ${webhookId}, lane, ${position}::bigint from generate_series(0, ${LANES - 1}::integer) lane
    on conflict (org_id, webhook_id, lane) do update
    set position = excluded.position, attempted_position = null, attempts = 0, due_at = null, is_reset = true`);
  // After the lanes are locked, so that no deliverer writes any more.
  await change.exec(sql.type(NO_ROWS)`
    delete from webhook_settled where org_id = ${orgId} and webhook_id = ${webhookId}`);
  return position;
}

/** Retries waiting events at once, with all attempts again. */
export async function forgetAttempts(change: Change, { orgId, webhookId }: SecretOwner): Promise<void> {
  await change.exec(sql.type(NO_ROWS)`
    update webhook_lanes set attempted_position = null, attempts = 0, due_at = null, is_reset = true
    where org_id = ${orgId} and webhook_id = ${webhookId}`);
}
