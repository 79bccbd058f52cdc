import { type FieldIssue, invalidValue, refuseIssues } from '../../base/checks/issues.ts';
import type { Micros } from '../../base/instant.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/**
 * Refuses times that have not come yet, by the database's clock.
 *
 * @param times by the names of the parameters, in their order.
 * @returns now.
 * @throws Invalid
 */
export async function requirePast(db: Connection, times: Readonly<Record<string, Micros>>): Promise<Micros> {
  const { now } = await db.one(sql.prepared('database-clock', rowsOf<{ now: Micros }>())`
    select micros_of_time(clock_timestamp()) as now`);
  refuseIssues(laterThan(times, now, 'now'));
  return now;
}

export function laterThan(
  times: Readonly<Record<string, Micros>>,
  bound: Micros,
  name: string,
): FieldIssue[] {
  return Object.entries(times)
    .filter(([, at]) => at > bound)
    .map(([field]) => invalidValue(field, `must not be later than ${name}`));
}
