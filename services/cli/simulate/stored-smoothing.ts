import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Whether smoothing was on anywhere in the organization at any time since then. */
export async function wasSmoothed(db: Connection, orgId: number, since: Micros): Promise<boolean> {
  const { was } = await db.one(sql.type(rowsOf<{ was: boolean }>())`
    select exists (
      select from (
        select mode, lead(valid_from) over (partition by location_id order by valid_from, id) as valid_to
        from smoothing_settings where org_id = ${orgId}
      ) setting
      where mode = 'on' and (valid_to is null or valid_to > time_of_micros(${since}))
    ) as was`);
  return was;
}
