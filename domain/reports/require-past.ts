import { type FieldIssue, invalidValue, refuseIssues } from '../../base/checks/issues.ts';
import type { Micros } from '../../base/instant.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { AHEAD_TOLERANCE } from '../tracking/observed-at.ts';

/** Instants by the names of their parameters, in the order of these. */
export type Times = { readonly [parameter: string]: Micros };

/**
 * Refuses times that have not come yet, by the database's clock. History may hold instants as far ahead as a device's clock
 * may be, so one can ask about these too.
 *
 * @returns now.
 * @throws Invalid
 */
export async function requirePast(db: Connection, times: Times): Promise<Micros> {
  const { now } = await db.one(sql.prepared('database-clock', rowsOf<{ now: Micros }>())`
    select micros_of_time(clock_timestamp()) as now`);
  refuseIssues(laterThan(times, now, 'now'));
  return now;
}

export function laterThan(times: Times, bound: Micros, name: string): FieldIssue[] {
  return Object.entries(times)
    .filter(([, at]) => at > bound + AHEAD_TOLERANCE)
    .map(([field]) => invalidValue(field, `must not be later than ${name}`));
}
