import { type KeyObject, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../../base/errors.ts';
import { SharedReads } from '../../../base/shared-reads.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { bigints, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { LANE_OF_MOVE } from '../lanes.ts';
import type { SealedSecret, SecretsKeys } from '../secrets/secrets-key.ts';
import { loadSealed, openSecrets } from '../secrets/stored-secrets.ts';
import type { Agents } from '../sending/agents.ts';
import type { Attempt } from '../sending/deliver.ts';
import { RETRY_LADDER } from '../sending/retry-ladder.ts';
import type { StateReason } from '../stored-webhook.ts';
import { keepUnsigned, type Unsigned } from '../unsigned.ts';
import {
  type Claimed,
  type Configured,
  claimWebhooks,
  endDeliveries,
  type Held,
  Lease,
  leave,
  loadConfigured,
  releaseWebhooks,
} from './leases.ts';
import { Pace } from './pace.ts';
import { pickEvents, type Wanted } from './pick-events.ts';
import { Recorder } from './recorder.ts';
import type { DelivererLog } from './trouble.ts';
import { Turns } from './turns.ts';
import { type Shared, WebhookDelivery } from './webhook-delivery.ts';

/** Milliseconds of debounce: notifications in between share one look. */
const GATHERED = 10;

interface Head {
  orgId: number;
  head: number;
}

/** What was sealed since the last look at an organization. */
interface Sealed {
  orgId: number;
  from: number;
  to: number;
}

/** With more new positions than this the query is not worth it: every lane has some. */
const WORTH_A_LOOK = 256;

export interface DelivererParts {
  db: Connection;
  /** For queries that must not wait behind those of `db`: one connection suffices. */
  leases: Pool;
  keys: SecretsKeys;
  agents: Agents;
  log: DelivererLog;
  onAttempt?(attempt: Attempt): void;
  /** The number of events merged for a waiting webhook: sent as one, or not at all. */
  onSettled?(events: number): void;
  /** Seconds before each further attempt. */
  ladder?: readonly number[];
  random?(): number;
  /** Milliseconds between saves of positions that lanes skipped to. */
  noteEvery?: number;
  /** Seconds for which a silent process counts as alive. */
  lease?: number;
  /** Milliseconds between two claims. */
  claimEvery?: number;
}

/** Seconds for which a silent process counts as alive: a few times {@link TICK}. */
const LEASE = 6;

/** Milliseconds between two claims: for a process that delivers, and for one without webhooks. */
const TICK = { delivering: 1_500, idle: 5_000 };

/** Milliseconds of grace for requests in flight at shutdown. */
const PATIENCE = 5_000;

/** Milliseconds for which a webhook whose secrets cannot be read is left to other processes. */
const PASSED_OVER = 60_000;

/** Milliseconds between saves of positions that lanes skipped to; their shown progress lags behind by as much. */
const NOTE = 5_000;

/**
 * Delivers webhooks. Any number of processes share them all; one process at a time delivers for each:
 *
 * 1. Each process renews its lease with every turn, and claims webhooks that no live process has.
 * 2. A process that could not renew in time sends nothing more: another may have claimed its webhooks.
 * 3. What it has sent but not recorded is sent again by that one.
 */
export class Deliverer {
  readonly #id = randomUUID();
  readonly #parts: DelivererParts;
  readonly #shared: Shared;
  readonly #turns = new Turns();
  readonly #lease = new Lease(() => this.#leave());
  readonly #feeds: FeedWatch;
  readonly #recorder: Recorder;
  readonly #deliveries = new Map<number, WebhookDelivery>();
  readonly #retiring = new Map<WebhookDelivery, Promise<void>>();
  readonly #passedOver = new Map<number, number>();
  #noteAt = 0;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    const isLeased = () => this.#lease.isHeld();
    this.#feeds = new FeedWatch(parts.db, () => this.#deliveries.values());
    this.#recorder = new Recorder(parts.db, this.#id, isLeased, (error) =>
      parts.log.warn({ reason: messageOf(error) }, 'Deliveries could not be recorded; will retry'),
    );
    // Many webhooks of an organization that begin at the same position want the same.
    const picks = new SharedReads();
    const pickInTurn = ({ orgId }: { orgId: number }, wanted: Wanted) =>
      this.#turns.pick(orgId, () => pickEvents({ orgId, db: parts.db }, wanted));
    this.#shared = {
      db: parts.db,
      deliverer: this.#id,
      log: parts.log,
      agents: parts.agents,
      turns: this.#turns,
      pace: new Pace(),
      pickEvents: (orgId, wanted) => picks.read(pickInTurn, { orgId }, wanted),
      recorder: this.#recorder,
      ladder: parts.ladder ?? RETRY_LADDER,
      random: parts.random ?? Math.random,
      isLeased,
      headOf: (orgId) => this.#feeds.headOf(orgId),
      end: (webhook, reason) => this.#end(webhook, reason),
      onAttempt: parts.onAttempt ?? (() => {}),
      onSettled: parts.onSettled ?? (() => {}),
    };
  }

  /** Webhooks that this process has claimed. */
  get webhooks(): number {
    return this.#deliveries.size;
  }

  get sending(): number {
    return this.#turns.running;
  }

  /** Renews the lease and claims webhooks. @returns milliseconds until the next turn. */
  async turn(): Promise<number> {
    await this.#claim();
    this.#feeds.look();
    const now = performance.now();
    if (now >= this.#noteAt) {
      this.#noteAt = now + (this.#parts.noteEvery ?? NOTE);
      await this.#noteSkipped();
    }
    return this.#parts.claimEvery ?? TICK[this.#deliveries.size > 0 ? 'delivering' : 'idle'];
  }

  /** To be called when something was sealed. */
  look(): void {
    this.#feeds.look();
  }

  /** Graceful shutdown after the last turn: ends deliveries, and lets other processes claim the webhooks at once. */
  async stop(): Promise<void> {
    await this.#feeds.stop();
    const retired = [...this.#deliveries.values()].map((delivery) => this.#retire(delivery, PATIENCE));
    this.#turns.end();
    await Promise.all(retired);
    await this.#recorder.idle();
    this.#lease.end();
    // Without it, others wait until the lease has expired.
    await leave(this.#parts.leases, this.#id).catch(() => {});
  }

  async #claim(): Promise<void> {
    const asked = performance.now();
    const seconds = this.#parts.lease ?? LEASE;
    const passedOver = [...this.#passedOver].filter(([, until]) => until > asked).map(([id]) => id);
    const { claimed, held, surplus } = await claimWebhooks(
      this.#parts.leases,
      this.#id,
      seconds,
      [...this.#deliveries.keys()],
      passedOver,
    );
    this.#lease.extend(asked, seconds);
    await this.#keepUp(held, surplus);
    if (claimed.length > 0) {
      await this.#begin(claimed);
    }
  }

  /** The lease was not renewed in time. */
  #leave(): void {
    this.#parts.log.warn(
      { webhooks: this.#deliveries.size },
      'Webhooks left to other processes: the database did not answer in time',
    );
    for (const delivery of this.#deliveries.values()) {
      this.#retire(delivery, 0);
    }
  }

  /** Applies changes of the webhooks that were made meanwhile, here or elsewhere. */
  async #keepUp(held: readonly Held[], surplus: number): Promise<void> {
    let toGive = surplus;
    for (const { webhookId, isLost, isReset, isOn, revision } of held) {
      const delivery = this.#deliveries.get(webhookId);
      if (delivery === undefined || this.#retiring.has(delivery)) {
        continue;
      }
      if (isLost) {
        this.#retire(delivery, 0);
      } else if (isReset || !isOn || delivery.isOver) {
        this.#retire(delivery, PATIENCE);
      } else if (toGive > 0) {
        toGive -= 1;
        this.#retire(delivery, PATIENCE);
      } else if (revision !== delivery.config.revision) {
        await this.#change(delivery);
      }
    }
  }

  async #begin(claimed: readonly Claimed[]): Promise<void> {
    await this.#feeds.read([...new Set(claimed.map(({ orgId }) => orgId))]);
    const sealed = await loadSealed(this.#parts.db, claimed);
    const unsigned: Unsigned[] = [];
    for (const each of claimed) {
      const secrets = this.#opened(each, sealed.get(each.webhookId) ?? []);
      if ('error' in secrets) {
        unsigned.push(secrets);
      } else {
        this.#deliveries.set(each.webhookId, new WebhookDelivery(each, secrets, this.#shared));
      }
    }
    await this.#giveUp(unsigned);
  }

  /** Leaves webhooks that this process cannot sign to others, and reports them. */
  async #giveUp(unsigned: readonly Unsigned[]): Promise<void> {
    if (unsigned.length > 0) {
      const ids = unsigned.map(({ webhookId }) => webhookId);
      await releaseWebhooks(this.#parts.leases, this.#id, ids);
      await keepUnsigned(this.#parts.db, unsigned);
    }
  }

  async #change(delivery: WebhookDelivery): Promise<void> {
    const { orgId, webhookId } = delivery.config;
    const config = await loadConfigured(this.#parts.db, orgId, webhookId);
    const sealed = await loadSealed(this.#parts.db, [delivery.config]);
    const secrets = this.#opened(delivery.config, sealed.get(webhookId) ?? []);
    if (config === null || 'error' in secrets) {
      this.#retire(delivery, PATIENCE);
      if ('error' in secrets) {
        await keepUnsigned(this.#parts.db, [secrets]);
      }
    } else {
      delivery.change(config, secrets);
    }
  }

  /** The secrets, or why this process cannot read them; another may. */
  #opened({ orgId, webhookId }: Configured, sealed: readonly SealedSecret[]): KeyObject[] | Unsigned {
    try {
      return openSecrets(this.#parts.keys, { orgId, webhookId }, sealed);
    } catch (error) {
      this.#passedOver.set(webhookId, performance.now() + PASSED_OVER);
      this.#parts.log.warn(
        { webhook: webhookId, reason: messageOf(error) },
        'Webhook cannot be signed by this process; it waits',
      );
      return { orgId, webhookId, error: messageOf(error) };
    }
  }

  /** Stops a delivery and releases the webhook, which is not claimed here again before that. */
  #retire(delivery: WebhookDelivery, patience: number): Promise<void> {
    const { webhookId } = delivery.config;
    const retired =
      this.#retiring.get(delivery) ??
      (async () => {
        await delivery.stop(patience);
        await releaseWebhooks(this.#parts.leases, this.#id, [webhookId]).catch(() => {});
        this.#deliveries.delete(webhookId);
        this.#retiring.delete(delivery);
      })();
    this.#retiring.set(delivery, retired);
    if (patience === 0) {
      delivery.cut();
    }
    return retired;
  }

  async #end(webhook: Configured, reason: StateReason): Promise<void> {
    await endDeliveries(this.#parts.leases, this.#id, webhook, reason);
    this.#parts.log.warn(
      { webhook: webhook.webhookId, org: webhook.orgId, reason },
      'Webhook switched off or paused',
    );
  }

  async #noteSkipped(): Promise<void> {
    const lanes = [...this.#deliveries.values()].flatMap((delivery) => delivery.lanes);
    await Promise.allSettled(lanes.map((lane) => lane.noteSkipped()));
  }
}

/** Keeps the heads of the feeds whose webhooks are delivered here, and wakes lanes that have new events. */
class FeedWatch {
  readonly #db: Connection;
  readonly #deliveries: () => Iterable<WebhookDelivery>;
  readonly #heads = new Map<number, number>();
  #looking: Promise<void> | null = null;
  #mustLookAgain = false;
  #isStopped = false;

  constructor(db: Connection, deliveries: () => Iterable<WebhookDelivery>) {
    this.#db = db;
    this.#deliveries = deliveries;
  }

  headOf(orgId: number): number {
    return this.#heads.get(orgId) ?? 0;
  }

  /** To be called when something was sealed, and now and then, as a notification may be lost. */
  look(): void {
    this.#mustLookAgain = true;
    this.#looking ??= this.#lookWhileAsked().finally(() => {
      this.#looking = null;
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#looking;
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#mustLookAgain && !this.#isStopped) {
      await pause(GATHERED);
      this.#mustLookAgain = false;
      const orgIds = new Set([...this.#deliveries()].map(({ config }) => config.orgId));
      // An unavailable database is logged by the claims, which fail as well.
      await this.read([...orgIds]).catch(() => {});
    }
  }

  async read(orgIds: readonly number[]): Promise<void> {
    if (orgIds.length === 0) {
      return;
    }
    const heads = await readHeads(this.#db, orgIds);
    const sealed = heads.flatMap(({ orgId, head }) => {
      const from = this.#heads.get(orgId);
      return from === undefined || from === head ? [] : [{ orgId, from, to: head }];
    });
    const touched = await findTouchedLanes(this.#db, sealed);
    // A feed that is empty yet has no head.
    for (const orgId of orgIds) {
      this.#heads.set(orgId, this.#heads.get(orgId) ?? 0);
    }
    for (const { orgId, head } of heads) {
      this.#heads.set(orgId, head);
    }
    const byOrg = new Map(sealed.map((each) => [each.orgId, each]));
    for (const { config, lanes } of this.#deliveries()) {
      const each = byOrg.get(config.orgId);
      const ofOrg = touched.get(config.orgId) ?? null;
      if (each !== undefined) {
        for (const lane of lanes) {
          lane.sealed(each.from, each.to, ofOrg?.has(lane.number) !== false);
        }
      }
    }
  }
}

/** The heads of the feeds of organizations; none for an empty feed. */
async function readHeads(db: Connection, orgIds: readonly number[]): Promise<Head[]> {
  const rows = await db.any(sql.prepared('read-move-heads', rowsOf<{ org_id: number; head: number }>())`
    select org_id, head from move_heads
    where org_id = any(${sql.binary(integers(orgIds))}::integer[])`);
  return rows.map(({ org_id: orgId, head }) => ({ orgId, head }));
}

/**
 * The lanes with events among what was sealed, by organization, null for all; the others need not look. One statement
 * for all organizations, instead of eight for each of their webhooks.
 */
async function findTouchedLanes(
  db: Connection,
  sealed: readonly Sealed[],
): Promise<ReadonlyMap<number, ReadonlySet<number> | null>> {
  const touched = new Map<number, Set<number> | null>();
  const few = sealed.filter(({ orgId, from, to }) => {
    const isWorthIt = to - from <= WORTH_A_LOOK;
    touched.set(orgId, isWorthIt ? new Set() : null);
    return isWorthIt;
  });
  if (few.length > 0) {
    const rows = await db.any(sql.prepared('find-touched-lanes', rowsOf<{ org_id: number; lane: number }>())`
      select given.org_id, found.lane
      from unnest(
        ${sql.binary(integers(few.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(bigints(few.map(({ from }) => from)))}::bigint[],
        ${sql.binary(bigints(few.map(({ to }) => to)))}::bigint[]
      ) as given (org_id, after, upto)
      cross join lateral (
        select distinct ${LANE_OF_MOVE} as lane from moves move
        where move.org_id = given.org_id and move.position > given.after and move.position <= given.upto
          and move.sealed_at >= coalesce((
            select day from move_days days
            where days.org_id = given.org_id and days.first_position <= given.after + 1
            order by days.first_position desc limit 1), '-infinity')
      ) found`);
    for (const { org_id: orgId, lane } of rows) {
      touched.get(orgId)?.add(lane);
    }
  }
  return touched;
}
