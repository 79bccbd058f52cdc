import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Each location with those above it, and itself. */
export async function loadAbove(
  db: Connection,
  orgId: number,
  locationIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const rows = await db.any(sql.prepared(
    'locations-above',
    rowsOf<{ first_id: number; above: readonly number[] }>(),
  )`
    with recursive up as (
      select location.id as first_id, location.id, location.parent_id
      from unnest(${sql.binary(integers(locationIds))}::integer[]) as given (id)
        join locations location on location.org_id = ${orgId} and location.id = given.id
      union
      select up.first_id, parent.id, parent.parent_id
      from up join locations parent on parent.org_id = ${orgId} and parent.id = up.parent_id
    )
    select first_id, array_agg(id) as above from up group by first_id`);
  return new Map(rows.map(({ first_id: id, above }) => [id, new Set(above)]));
}
