import { setTimeout as pause } from 'node:timers/promises';
import { bigints, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { LANE_OF_MOVE } from '../lanes.ts';
import type { WebhookDelivery } from './webhook-delivery.ts';

/** Milliseconds of debounce: notifications in between share one look. */
const GATHERED = 10;

/** Keeps the heads of the feeds whose webhooks are delivered here, and wakes lanes that have new events. */
export class FeedWatch {
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

interface Head {
  orgId: number;
  head: number;
}

/** The heads of the feeds of organizations; none for an empty feed. */
async function readHeads(db: Connection, orgIds: readonly number[]): Promise<Head[]> {
  const rows = await db.any(sql.prepared('read-move-heads', rowsOf<{ org_id: number; head: number }>())`
    select org_id, head from move_heads
    where org_id = any(${sql.binary(integers(orgIds))}::integer[])`);
  return rows.map(({ org_id: orgId, head }) => ({ orgId, head }));
}

/** What was sealed since the last look at an organization. */
interface Sealed {
  orgId: number;
  from: number;
  to: number;
}

/** With more new positions than this the query is not worth it: every lane has some. */
const WORTH_A_LOOK = 256;

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
