import { integers, texts } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { SecretOwner } from './secrets/secrets-key.ts';
import { LIVE_WEBHOOKS } from './stored-webhook.ts';

/** Begins the event id of attempts that ended before there was anything to send. */
const UNSIGNED = 'unsigned-';

export interface Unsigned extends SecretOwner {
  /** Why its secrets could not be read. */
  error: string;
}

/** Records, as an attempt, that a process cannot sign for webhooks; once until another attempt is made. */
export async function keepUnsigned(db: Connection, unsigned: readonly Unsigned[]): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    insert into webhook_attempts (org_id, webhook_id, at, event_id, attempt, error, milliseconds)
    select given.org_id, given.webhook_id, clock_timestamp(), ${UNSIGNED}::text || gen_random_uuid(), 1, given.error, 0
    from unnest(
      ${sql.binary(integers(unsigned.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(unsigned.map(({ webhookId }) => webhookId)))}::integer[],
      ${sql.binary(texts(unsigned.map(({ error }) => error)))}::text[]
    ) as given (org_id, webhook_id, error)
    left join lateral (${LAST_ATTEMPT} attempt.org_id = given.org_id and attempt.webhook_id = given.webhook_id
      order by attempt.id desc limit 1) last on true
    where (starts_with(last.event_id, ${UNSIGNED}::text) and last.error = given.error) is not true`);
}

/**
 * Webhooks, at most ten, that are on and that no process delivers because none can read their secrets.
 *
 * @param orgId null for every organization's.
 */
export async function listUnsigned(
  db: Connection,
  orgId: number | null = null,
): Promise<readonly { id: number; name: string }[]> {
  return db.any(sql.type(rowsOf<{ id: number; name: string }>())`
    select webhook.id, webhook.name
    from ${LIVE_WEBHOOKS}
    join lateral (${LAST_ATTEMPT} attempt.org_id = webhook.org_id and attempt.webhook_id = webhook.id
      order by attempt.id desc limit 1) last on starts_with(last.event_id, ${UNSIGNED}::text)
    where (${orgId}::integer is null or webhook.org_id = ${orgId}::integer) and webhook.state = 'on' and not exists (
      select from webhook_lanes lane
      join webhook_deliverers deliverer on deliverer.id = lane.deliverer and deliverer.alive_until > clock_timestamp()
      where lane.org_id = webhook.org_id and lane.webhook_id = webhook.id and lane.lane = 0
    )
    order by webhook.id
    limit 10`);
}

const LAST_ATTEMPT = sql.fragment`select attempt.event_id, attempt.error from webhook_attempts attempt where`;
