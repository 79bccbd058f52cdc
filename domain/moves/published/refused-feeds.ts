import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface PublishingFault {
  orgId: number;
  /** The message that the broker does not take; null if a query fails. */
  topic: string | null;
  reason: string;
}

/** Milliseconds from one attempt to the next, which doubles. */
export interface Ladder {
  first: number;
  longest: number;
}

/** Refused feeds of all organizations, the longest-standing first. */
export async function readPublishingFaults(
  db: Connection,
  limit: number,
): Promise<readonly (PublishingFault & { name: string })[]> {
  const rows = await db.any(sql.type(
    rowsOf<{ org_id: number; name: string; topic: string | null; reason: string }>(),
  )`
    select fault.org_id, organization.name, fault.topic, fault.reason
    from publishing_faults fault join organizations organization on organization.id = fault.org_id
    order by fault.since limit ${limit}`);
  return rows.map(({ org_id: orgId, ...fault }) => ({ orgId, ...fault }));
}

/** Characters of a reason. */
const LONGEST = 1_000;

/**
 * Organizations whose feed is passed over, because the broker refuses a message or a query fails. The feed
 * keeps their changes. Stored in the database, for `doctor` and for the next publisher.
 */
export class RefusedFeeds {
  /** The time of each next retry; milliseconds of `performance.now()`. */
  readonly #again = new Map<number, { at: number; pause: number; topic: string | null }>();

  /** Retries those that another publisher stored once everybody else had a turn. */
  async load(db: Connection): Promise<void> {
    const rows = await db.any(sql.type(rowsOf<{ org_id: number; topic: string | null }>())`
      select org_id, topic from publishing_faults`);
    const known = new Map(rows.map(({ org_id: orgId, topic }) => [orgId, topic]));
    for (const orgId of this.#again.keys()) {
      known.has(orgId) || this.#again.delete(orgId);
    }
    for (const [orgId, topic] of known) {
      this.#again.has(orgId) || this.#again.set(orgId, { at: 0, pause: 0, topic });
    }
  }

  has(orgId: number): boolean {
    return this.#again.has(orgId);
  }

  isDue(orgId: number, now: number): boolean {
    return (this.#again.get(orgId)?.at ?? 0) <= now;
  }

  /** The topic at which the feed stands still; null if a query fails, undefined if it goes on. */
  topicOf(orgId: number): string | null | undefined {
    return this.#again.get(orgId)?.topic;
  }

  /** @returns false if this was recorded already. */
  async add(
    db: Connection,
    { orgId, topic, reason }: PublishingFault,
    now: number,
    { first, longest }: Ladder,
  ): Promise<boolean> {
    const known = this.#again.get(orgId);
    const pause = Math.min(longest, Math.max(first, (known?.pause ?? 0) * 2));
    this.#again.set(orgId, { at: now + pause, pause, topic });
    if (known !== undefined && known.topic === topic) {
      return false;
    }
    await db.exec(sql.type(NO_ROWS)`
      insert into publishing_faults (org_id, topic, reason)
      values (${orgId}, ${topic}, ${reason.slice(0, LONGEST)})
      on conflict (org_id) do update set topic = excluded.topic, reason = excluded.reason, since = now()`);
    return true;
  }

  async remove(db: Connection, orgId: number): Promise<void> {
    this.#again.delete(orgId);
    await db.exec(sql.type(NO_ROWS)`delete from publishing_faults where org_id = ${orgId}`);
  }
}
