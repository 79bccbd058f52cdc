import { isHere } from '../../db/timescale/queries/is-here.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/** Organizations with something to derive again, including those without rules. One step of the index for each. */
export async function findRevised(
  db: Connection,
  table: 'alert_revisions' | 'silence_revisions',
): Promise<readonly number[]> {
  const revisions = sql.identifier([table]);
  const rows = await db.any(sql.prepared(`find-revised-${table}`, rowsOf<{ org_id: number }>())`
    with recursive revised as (
      select (select min(org_id) from ${revisions}) as org_id
      union all
      select (select min(other.org_id) from ${revisions} other where other.org_id > revised.org_id)
      from revised where revised.org_id is not null
    )
    select org_id from revised where ${isHere(sql.fragment`revised.org_id`)}`);
  return rows.map(({ org_id: orgId }) => orgId);
}
