import type { Micros } from '../../../base/instant.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { PassedOver, reasonOf } from '../../presence/passed-over.ts';

/** An organization whose alerts cannot be derived. */
export interface DerivingFault {
  orgId: number;
  error: unknown;
}

/** Assets of each source in the first turn after a failure. */
const SHARE = { first: 200, least: 20, all: Number.POSITIVE_INFINITY };

interface Aside {
  /** Up to when its alerts are derived. */
  derivedTo: Micros;
  /** It succeeded since, and is derived again, but not yet up to now. */
  isBack: boolean;
}

/**
 * Organizations that are passed over because deriving their alerts fails. Stored in the database, for `doctor`, and for
 * the next process, which has to look at all of them from then on.
 */
export class SetAside {
  readonly #aside = new Map<number, Aside>();
  readonly #passedOver = new PassedOver();

  /** Retries those that an earlier process recorded soon. */
  async load(db: Connection): Promise<void> {
    const rows = await db.any(sql.type(rowsOf<{ org_id: number; derived_to: Micros }>())`
      select org_id, micros_of_time(derived_to) as derived_to from alert_faults fault
      where ${isHere(sql.fragment`fault.org_id`)}`);
    for (const { org_id: orgId, derived_to: derivedTo } of rows) {
      this.#aside.set(orgId, { derivedTo, isBack: false });
      this.#passedOver.know(orgId);
    }
  }

  /** Up to when its alerts are derived; null unless it was set aside. */
  derivedTo(orgId: number): Micros | null {
    return this.#aside.get(orgId)?.derivedTo ?? null;
  }

  isPassedOver(orgId: number): boolean {
    return this.#aside.get(orgId)?.isBack === false;
  }

  /** Assets of each source to begin with. */
  share(orgId: number): number {
    return this.#passedOver.share(orgId, SHARE);
  }

  /** The one to retry: one per turn, because it may take long to fail. */
  due(now: number): number | null {
    return this.#passedOver.due(now).find((orgId) => this.isPassedOver(orgId)) ?? null;
  }

  /** @returns false if that is known already. */
  async add(
    db: Connection,
    { orgId, error }: DerivingFault,
    derivedTo: Micros,
    now: number,
  ): Promise<boolean> {
    const known = this.#aside.get(orgId);
    const upTo = known?.derivedTo ?? derivedTo;
    this.#aside.set(orgId, { derivedTo: upTo, isBack: false });
    this.#passedOver.failed(orgId, now);
    await db.exec(sql.type(NO_ROWS)`
      insert into alert_faults (org_id, derived_to, reason)
      values (${orgId}, time_of_micros(${upTo}::bigint), ${reasonOf(error)})
      on conflict (org_id) do update set reason = excluded.reason`);
    return known === undefined || known.isBack;
  }

  /** It was derived, if not up to now. */
  back(orgId: number): void {
    const known = this.#aside.get(orgId);
    if (known !== undefined) {
      known.isBack = true;
    }
  }

  async remove(db: Connection, orgId: number): Promise<void> {
    this.#aside.delete(orgId);
    this.#passedOver.succeeded(orgId);
    await db.exec(sql.type(NO_ROWS)`delete from alert_faults where org_id = ${orgId}`);
  }
}
