import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** Seconds after which nobody derives, and after which what is derived is late. */
const GONE = 30;
const LATE = 60;

/** Checks whether alerts are derived from rules, and up to when. */
export async function examineAlerts(db: Connection): Promise<Finding> {
  const { has_rules, open_count, idle, behind } = await db.one(sql.type(
    rowsOf<{ has_rules: boolean; open_count: number; idle: number | null; behind: number | null }>(),
  )`
    select exists (select from rules) as has_rules,
      (select count(*) from alerts where state in ('open', 'acknowledged')) as open_count,
      extract(epoch from clock_timestamp() - derived_at)::float8 as idle,
      extract(epoch from clock_timestamp() - derived_to)::float8 as behind
    from (select) always left join alert_derivation on true`);
  if (!has_rules) {
    return ok('alerts', 'No rules');
  }
  if (idle === null || idle > GONE) {
    return fault('alerts', 'No process derives them', 'Start ingestion; its log says why if it cannot');
  }
  return behind !== null && behind > LATE
    ? warning(
        'alerts',
        `They are derived up to ${Math.round(behind)} seconds ago only`,
        'Wait: after a start, or where rules were changed, all assets are looked at once; if it stays so, the database is too slow',
      )
    : ok('alerts', `${open_count} are not over`);
}
