import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { findTouchedLanes, readHeads } from './heads.ts';
import type { WebhookDelivery } from './webhook-delivery.ts';

/** Milliseconds of debounce: notifications in between share one look. */
const GATHERED = 10;

/** Milliseconds between looks if no notification comes. */
const LOOK = 1_000;

/** Keeps the heads of the feeds whose webhooks are delivered here, and wakes lanes that have new events. */
export class FeedWatch {
  readonly #db: Connection;
  readonly #deliveries: () => Iterable<WebhookDelivery>;
  readonly #heads = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | null = null;
  #mustLookAgain = false;
  #isStopped = false;

  constructor(db: Connection, deliveries: () => Iterable<WebhookDelivery>) {
    this.#db = db;
    this.#deliveries = deliveries;
    this.#timer = setInterval(() => this.look(), LOOK);
  }

  headOf(orgId: number): number {
    return this.#heads.get(orgId) ?? 0;
  }

  /** To be called when something was sealed. */
  look(): void {
    this.#mustLookAgain = true;
    this.#looking ??= this.#lookWhileAsked().finally(() => {
      this.#looking = null;
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
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
