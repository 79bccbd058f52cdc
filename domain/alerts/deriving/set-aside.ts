import { messageOf } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** An organization whose alerts cannot be derived. */
export interface DerivingFault {
  orgId: number;
  error: unknown;
}

/** Milliseconds until an organization that was set aside is tried again; doubled each time. */
const AGAIN = { first: 5_000, longest: 300_000 };

/** Assets of each source in the first turn after a failure, which may have been that all of them took too long; fewer each time. */
const SHARE = { first: 200, least: 20 };

/** Characters of a reason. */
const LONGEST = 1_000;

interface Aside {
  /** When it is tried again; milliseconds of `performance.now()`. */
  at: number;
  pause: number;
  /** Up to when its alerts are derived. */
  derivedTo: Micros;
  /** It succeeded since, and is derived again, but not up to now yet. */
  isBack: boolean;
}

/**
 * Organizations that are passed over, as deriving their alerts fails. Noted in the database, where `doctor` reads it, and
 * where the next process that derives finds from when on all of them has to be looked at.
 */
export class SetAside {
  readonly #aside = new Map<number, Aside>();

  /** Those that an earlier process noted are tried soon. */
  async load(db: Connection): Promise<void> {
    const rows = await db.any(sql.type(rowsOf<{ org_id: number; derived_to: Micros }>())`
      select org_id, micros_of_time(derived_to) as derived_to from alert_faults fault
      where ${isHere(sql.fragment`fault.org_id`)}`);
    for (const { org_id: orgId, derived_to: derivedTo } of rows) {
      this.#aside.set(orgId, { at: 0, pause: 0, derivedTo, isBack: false });
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
    const pause = this.#aside.get(orgId)?.pause ?? 0;
    return pause === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(SHARE.least, (SHARE.first * AGAIN.first) / pause);
  }

  /** The one that is to be tried: one in a turn, since it may take long to fail. */
  due(now: number): number | null {
    const due = [...this.#aside].filter(([, { at, isBack }]) => !isBack && at <= now);
    return due.sort(([, a], [, b]) => a.at - b.at)[0]?.[0] ?? null;
  }

  /** @returns false if that is known already. */
  async add(
    db: Connection,
    { orgId, error }: DerivingFault,
    derivedTo: Micros,
    now: number,
  ): Promise<boolean> {
    const known = this.#aside.get(orgId);
    const pause = Math.min(AGAIN.longest, Math.max(AGAIN.first, (known?.pause ?? 0) * 2));
    const upTo = known?.derivedTo ?? derivedTo;
    this.#aside.set(orgId, { at: now + pause, pause, derivedTo: upTo, isBack: false });
    await db.exec(sql.type(NO_ROWS)`
      insert into alert_faults (org_id, derived_to, reason)
      values (${orgId}, time_of_micros(${upTo}::bigint), ${messageOf(error).slice(0, LONGEST)})
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
    await db.exec(sql.type(NO_ROWS)`delete from alert_faults where org_id = ${orgId}`);
  }
}
