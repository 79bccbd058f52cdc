import { randomUUID } from 'node:crypto';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type Interval, joined } from '../intervals.ts';
import { storeWatches } from './store-watches.ts';

/** Rows that ended before this long ago do not grow any more. */
const OLD: Micros = 3_600 * MICROS_PER_SECOND;

/**
 * Joins the rows of processes that are gone, which overlap where one followed another, and drops what ended before `keptSince`.
 */
export async function tidyWatches(db: Connection, keptSince: Micros, now: Micros): Promise<void> {
  const old = await db.any(sql.prepared('take-old-watches', rowsOf<Interval>())`
    delete from intake_watches where ended_at < time_of_micros(${now - OLD}::bigint)
    returning micros_of_time(started_at) as since, micros_of_time(ended_at) as until`);
  const kept = joined(old).filter(({ until }) => until >= keptSince);
  await storeWatches(
    db,
    kept.map((watch) => ({ id: randomUUID(), ...watch })),
  );
}
