import { randomUUID } from 'node:crypto';
import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { texts, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { TOLERATED_SKEW } from '../../../db/timescale/queries/database-clock.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { EXPECTED } from '../expectations.ts';
import { type Interval, joined } from '../intervals.ts';

/** Learning about a reader takes seven days, and the longest expectation one. */
export const KEPT: Micros = 8 * MICROS_PER_DAY;

/** Watched time to keep, however long ago: after a day of it nothing depends on earlier watches. */
const ENOUGH: Micros = 2 * EXPECTED.most * MICROS_PER_SECOND;

/**
 * The watches of the last eight days, and of the last two days of watched time where ingestion did not run for long.
 *
 * @param watched sorted and disjoint.
 */
export function keptWatches(watched: readonly Interval[]): readonly Interval[] {
  const now = watched.at(-1)?.until ?? 0;
  let sum = 0;
  let first = watched.length;
  for (const { since, until } of watched.toReversed()) {
    if (until < now - KEPT && sum >= ENOUGH) {
      break;
    }
    sum += until - since;
    first -= 1;
  }
  return watched.slice(first);
}

/**
 * When processes of ingestion could hear; per process, not joined.
 *
 * @param since leaves out those that ended before.
 */
export async function loadWatches(db: Connection, since: Micros | null): Promise<readonly Interval[]> {
  return db.any(sql.prepared('load-intake-watches', rowsOf<Interval>())`
    select micros_of_time(started_at) as since, micros_of_time(ended_at) as until
    from intake_watches
    where ${since}::bigint is null or ended_at >= time_of_micros(${since}::bigint)`);
}

/** Rows that ended before this long ago do not grow any more. */
const OLD: Micros = 3_600 * MICROS_PER_SECOND;

/**
 * Joins the rows of ended processes, which overlap where one followed another, and drops those that ended before
 * `keptSince`.
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

export interface Watch extends Interval {
  id: string;
}

/** Rows in the future by the database's clock were dated by a wrong one, and are left out. */
export async function storeWatches(db: Connection, watches: readonly Watch[]): Promise<void> {
  await db.exec(sql.prepared('keep-intake-watches', NO_ROWS)`
    insert into intake_watches as kept (id, started_at, ended_at)
    select id::uuid, since, until
    from unnest(${sql.binary(texts(watches.map(({ id }) => id)))}::text[],
      ${sql.binary(timestamps(watches.map(({ since }) => since)))}::timestamptz[],
      ${sql.binary(timestamps(watches.map(({ until }) => until)))}::timestamptz[]) as given (id, since, until)
    where until <= clock_timestamp() + make_interval(secs => ${TOLERATED_SKEW / 1_000}::integer)
    on conflict (id) do update set ended_at = greatest(kept.ended_at, excluded.ended_at)`);
}
