import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { SubscribedQuery } from '../../epcis/subscribed.ts';
import type { FeedType } from '../../moves/event.ts';
import { LIVE_WEBHOOKS, type StateReason } from '../stored-webhook.ts';
import type { LaneStart } from './lane.ts';

/** A webhook as a deliverer needs it. */
export interface Configured {
  orgId: number;
  webhookId: number;
  revision: number;
  url: string;
  types: FeedType[] | null;
  locationId: number | null;
  settleSeconds: number;
  /** Null if it sends moves. */
  epcis: SubscribedQuery | null;
}

/** A webhook that a process has claimed. */
export interface Claimed extends Configured {
  lanes: LaneStart[];
}

/** The current state of a webhook that a process delivers for. */
export interface Held {
  webhookId: number;
  /** Another process has it. */
  isLost: boolean;
  /** Its progress was reset: claim it again. */
  isReset: boolean;
  /** Its state is `on`, and its organization live. */
  isOn: boolean;
  revision: number;
}

interface Claims {
  claimed: Claimed[];
  held: Held[];
  /** Webhooks that this process has beyond its share. */
  surplus: number;
}

/**
 * Renews a process's lease for `seconds` by the database's clock, reads the state of the webhooks it has, and claims
 * more, up to an equal share: those that are on and that no live process has.
 */
export async function claimWebhooks(
  pool: Pool,
  deliverer: string,
  seconds: number,
  holding: readonly number[],
  passedOver: readonly number[],
): Promise<Claims> {
  return inTransaction(pool, async (transaction) => {
    // A process that hangs in here must not block the others.
    await transaction.exec(sql.type(NO_ROWS)`
      select set_config('idle_in_transaction_session_timeout', ${String(seconds * 500)}, true)`);
    await transaction.exec(sql.type(NO_ROWS)`select pg_advisory_xact_lock(${ADVISORY_LOCKS.deliverers})`);
    await sayAlive(transaction, deliverer, seconds);
    const share = await shareOf(transaction);
    const held = await lookAt(transaction, deliverer, holding);
    const kept = held.filter(({ isLost, isOn }) => !isLost && isOn).length;
    const wanted = Math.max(0, share - kept);
    const claimed =
      wanted === 0
        ? []
        : await take(transaction, deliverer, Math.min(wanted, AT_ONCE), [...holding, ...passedOver]);
    return { claimed, held, surplus: Math.max(0, kept - share) };
  });
}

/** Webhooks claimed at a time. */
const AT_ONCE = 250;

async function sayAlive(db: Connection, deliverer: string, seconds: number): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    insert into webhook_deliverers (id, alive_until)
    values (${deliverer}::uuid, clock_timestamp() + make_interval(secs => ${seconds}))
    on conflict (id) do update set alive_until = excluded.alive_until`);
  await db.exec(sql.type(NO_ROWS)`
    delete from webhook_deliverers where alive_until < clock_timestamp() - interval '1 hour'`);
}

async function shareOf(db: Connection): Promise<number> {
  const { share } = await db.one(sql.type(rowsOf<{ share: number }>())`
    select ceil(
      (select count(*) from ${LIVE_WEBHOOKS} where webhook.state = 'on')::numeric
      / (select count(*) from webhook_deliverers where alive_until > clock_timestamp())
    )::integer as share`);
  return share;
}

async function lookAt(db: Connection, deliverer: string, holding: readonly number[]): Promise<Held[]> {
  const rows = await db.any(sql.type(
    rowsOf<{ id: number; is_lost: boolean; is_reset: boolean; is_on: boolean; revision: number | null }>(),
  )`
    select given.id, lane.deliverer is distinct from ${deliverer}::uuid as is_lost,
      coalesce(lane.is_reset, false) as is_reset,
      coalesce(webhook.state = 'on' and organization.id is not null, false) as is_on, webhook.revision
    from unnest(${sql.binary(integers(holding))}::integer[]) as given (id)
    left join webhooks webhook on webhook.id = given.id and webhook.deleted_at is null
    left join organizations organization on organization.id = webhook.org_id and organization.deleted_at is null
    left join webhook_lanes lane on lane.org_id = webhook.org_id and lane.webhook_id = webhook.id and lane.lane = 0`);
  return rows.map((row) => ({
    webhookId: row.id,
    isLost: row.is_lost,
    isReset: row.is_reset,
    isOn: row.is_on,
    revision: row.revision ?? 0,
  }));
}

interface ClaimedRow extends ConfiguredRow {
  /** JSON text. */
  lanes: string;
}

async function take(
  db: Connection,
  deliverer: string,
  most: number,
  others: readonly number[],
): Promise<Claimed[]> {
  const rows = await db.any(sql.type(rowsOf<ClaimedRow>())`
    with free as (
      select webhook.org_id, webhook.id
      from ${LIVE_WEBHOOKS}
      join webhook_lanes lane on lane.org_id = webhook.org_id and lane.webhook_id = webhook.id and lane.lane = 0
      where webhook.state = 'on' and webhook.id <> all(${sql.binary(integers(others))}::integer[])
        -- What is the caller's own, and yet it does not hold it, it failed to begin with.
        and (lane.deliverer = ${deliverer}::uuid or not exists (
          select from webhook_deliverers deliverer
          where deliverer.id = lane.deliverer and deliverer.alive_until > clock_timestamp()
        ))
      order by webhook.id
      limit ${most}
    ),
    taken as (
      update webhook_lanes lane set deliverer = ${deliverer}::uuid, is_reset = false
      from free where lane.org_id = free.org_id and lane.webhook_id = free.id
      returning lane.org_id, lane.webhook_id, json_build_object(
        'lane', lane.lane, 'position', lane.position, 'attemptedPosition', lane.attempted_position,
        'attempts', lane.attempts, 'dueIn', extract(epoch from lane.due_at - clock_timestamp()),
        'hasSettled', exists (
          select from webhook_settled settled
          where settled.org_id = lane.org_id and settled.webhook_id = lane.webhook_id and settled.lane = lane.lane
            and settled.last_position > lane.position)
      ) as lane
    )
    select ${CONFIGURED_COLUMNS}, json_agg(taken.lane) as lanes
    from taken join webhooks webhook on webhook.org_id = taken.org_id and webhook.id = taken.webhook_id
    group by webhook.org_id, webhook.id`);
  return rows.map((row) => ({ ...toConfigured(row), lanes: JSON.parse(row.lanes) }));
}

interface ConfiguredRow {
  org_id: number;
  id: number;
  revision: number;
  url: string;
  types: FeedType[] | null;
  location_id: number | null;
  settle_seconds: number;
  /** JSON text. */
  epcis: string | null;
}

const CONFIGURED_COLUMNS = sql.fragment`webhook.org_id, webhook.id, webhook.revision, webhook.url, webhook.types,
  webhook.location_id, webhook.settle_seconds, webhook.epcis`;

function toConfigured(row: ConfiguredRow): Configured {
  return {
    orgId: row.org_id,
    webhookId: row.id,
    revision: row.revision,
    url: row.url,
    types: row.types,
    locationId: row.location_id,
    settleSeconds: row.settle_seconds,
    epcis: row.epcis === null ? null : JSON.parse(row.epcis),
  };
}

/** Null if it is deleted. */
export async function loadConfigured(db: Connection, orgId: number, id: number): Promise<Configured | null> {
  const row = await db.maybeOne(sql.type(rowsOf<ConfiguredRow>())`
    select ${CONFIGURED_COLUMNS} from webhooks webhook
    where webhook.org_id = ${orgId} and webhook.id = ${id} and webhook.deleted_at is null`);
  return row === null ? null : toConfigured(row);
}

/** Releases webhooks: others may claim them at once. */
export async function releaseWebhooks(
  db: Connection,
  deliverer: string,
  webhookIds: readonly number[],
): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    update webhook_lanes set deliverer = null
    where deliverer = ${deliverer}::uuid and webhook_id = any(${sql.binary(integers(webhookIds))}::integer[])`);
}

/** Ends the lease of a process that shuts down. */
export async function leave(db: Connection, deliverer: string): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`delete from webhook_deliverers where id = ${deliverer}::uuid`);
}

/** Switches off or pauses a webhook that this process delivers for; no person did. */
export async function endDeliveries(
  db: Connection,
  deliverer: string,
  { orgId, webhookId }: { orgId: number; webhookId: number },
  reason: StateReason,
): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    update webhooks webhook set state = ${reason === 'gone' ? 'off' : 'paused'}, state_reason = ${reason},
      state_at = clock_timestamp(), revision = revision + 1
    where webhook.org_id = ${orgId} and webhook.id = ${webhookId} and webhook.state = 'on' and exists (
      select from webhook_lanes lane
      where lane.org_id = webhook.org_id and lane.webhook_id = webhook.id and lane.deliverer = ${deliverer}::uuid
        and not lane.is_reset
    )`);
}

/** The holder stops so many milliseconds early, since clocks run at unequal speed. */
const MARGIN = 500;

/** A lease to deliver, as this process knows it: until it ends no other process claims its webhooks. */
export class Lease {
  readonly #onLost: () => void;
  #until = Number.NEGATIVE_INFINITY;
  #expiry: NodeJS.Timeout | undefined;

  /** @param onLost called when it expires because it was not renewed in time. */
  constructor(onLost: () => void) {
    this.#onLost = onLost;
  }

  isHeld(): boolean {
    return performance.now() < this.#until;
  }

  /**
   * @param asked `performance.now()` before the database was asked for it.
   * @param seconds by the database's clock.
   */
  extend(asked: number, seconds: number): void {
    this.#until = asked + seconds * 1_000 - MARGIN;
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(this.#onLost, Math.max(0, this.#until - performance.now()));
  }

  /** Ends it without calling `onLost`. */
  end(): void {
    clearTimeout(this.#expiry);
  }
}
