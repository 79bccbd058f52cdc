import type { Micros } from '../../base/instant.ts';
import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { AssetRef } from './history/asset-ref.ts';
import type { AssetTransition } from './write-transitions.ts';

/**
 * Marks about one in 512 of the given transitions, so that a history is counted by its marks and at most some 512 rows
 * (`db/timescale/schema/tables/tracking.sql`). A hash decides which: that takes no look-up, and late rows are marked as often as newest ones.
 *
 * @param written transitions of assets whose positions are locked.
 */
export async function markHistories(db: Connection, written: readonly AssetTransition[]): Promise<void> {
  const marked = written.filter(isMarked);
  if (marked.length === 0) {
    return;
  }
  await db.exec(sql.prepared('mark-histories', NO_ROWS)`
    select mark_histories(
      ${sql.binary(integers(marked.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(marked.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(timestamps(marked.map(({ observedAt }) => observedAt)))}::timestamptz[])`);
}

type Instant = AssetRef & { observedAt: Micros };

/**
 * Does `work`, which writes and deletes transitions, without the triggers that keep the marks up to each row. A row took
 * them 15 us, and longer the more of one stretch were written in one transaction. Who does without calls {@link keepMarks}
 * for all rows but those later than every scan of their asset, which no mark counts.
 */
export async function sparingTriggers<Result>(db: Connection, work: () => Promise<Result>): Promise<Result> {
  const sparing = db.exec(sql.prepared('spare-marks', NO_ROWS)`
    select set_config('tagtrail.keeps_marks', 'on', true)`);
  const working = work();
  const ending = db.exec(sql.prepared('end-sparing-marks', NO_ROWS)`
    select set_config('tagtrail.keeps_marks', 'off', true)`);
  // If one fails, so does what is pipelined behind it, without naming the cause.
  working.catch(() => {});
  ending.catch(() => {});
  await sparing;
  const result = await working;
  await ending;
  return result;
}

/** Adjusts the marks to rows that were added and removed: of each row the first mark from its instant on. */
export async function keepMarks(
  db: Connection,
  added: readonly Instant[],
  removed: readonly Instant[],
): Promise<void> {
  const rows = [...added, ...removed];
  if (rows.length === 0) {
    return;
  }
  await db.exec(sql.prepared('keep-marks', NO_ROWS)`
    update history_marks set stays = history_marks.stays + changed.stays
    from (
      select mark.row, sum(given.stays) as stays
      from unnest(
        ${sql.binary(integers(rows.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(rows.map(({ assetId }) => assetId)))}::integer[],
        ${sql.binary(timestamps(rows.map(({ observedAt }) => observedAt)))}::timestamptz[],
        ${sql.binary(integers(rows.map((_, index) => (index < added.length ? 1 : -1))))}::integer[])
        as given (org_id, asset_id, observed_at, stays)
      cross join lateral (
        select ctid as row from history_marks
        where org_id = given.org_id and asset_id = given.asset_id and observed_at >= given.observed_at
        order by observed_at limit 1
      ) mark
      group by mark.row
    ) changed
    where history_marks.ctid = changed.row`);
}

/** Whatever digits the instants have. The asset is part of the hash because many assets may be seen at one instant. */
function isMarked({ assetId, observedAt }: Pick<AssetTransition, 'assetId' | 'observedAt'>): boolean {
  const low = Math.imul(observedAt % HALF, 0x9e3779b1);
  const high = Math.imul(Math.floor(observedAt / HALF), 0x85ebca6b);
  const mixed = Math.imul(low ^ (low >>> 15) ^ high ^ Math.imul(assetId, 0x27d4eb2f), 0xc2b2ae35);
  return Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b) >>> 23 === 0;
}

const HALF = 2 ** 32;
