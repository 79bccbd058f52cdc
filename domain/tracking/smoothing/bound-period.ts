import { leastOf } from '../../../base/extremes.ts';
import type { Micros } from '../../../base/instant.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Period } from './try-smoothing.ts';

/**
 * The period up to where the organization has `most` scans in it. Readers' and handhelds' are counted apart, each along
 * its own index, so there may be up to twice as many.
 */
export async function boundPeriod(
  db: Connection,
  orgId: number,
  period: Period,
  most: number,
): Promise<Period> {
  const ends = [
    await scanAfter(db, orgId, period, most, sql.fragment`reader_id is not null`),
    await scanAfter(db, orgId, period, most, sql.fragment`submission_id is not null`),
  ];
  return {
    from: period.from,
    to: leastOf([period.to, ...ends.flatMap((end) => (end === null ? [] : end - 1))]),
  };
}

/** When the first scan beyond `most` was observed; null if there are no more. */
async function scanAfter(
  db: Connection,
  orgId: number,
  { from, to }: Period,
  most: number,
  isOfKind: FragmentSqlToken,
): Promise<Micros | null> {
  const row = await db.maybeOne(sql.type(rowsOf<{ at: Micros }>())`
    select micros_of_time(observed_at) as at from scan_events
    where org_id = ${orgId} and observed_at between time_of_micros(${from}) and time_of_micros(${to}) and ${isOfKind}
    order by observed_at offset ${most} limit 1`);
  return row?.at ?? null;
}
