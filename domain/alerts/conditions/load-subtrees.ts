import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type Interval, joined } from '../../presence/intervals.ts';

/**
 * When locations belonged to the subtrees of others, by root and location, by the tree as it was at each instant; before its
 * first version a location counts as in that.
 *
 * All versions of the organization's locations are read, as in reports about the past.
 */
export async function loadSubtrees(
  db: Connection,
  orgId: number,
  rootIds: readonly number[],
  locationIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlyMap<number, Interval[]>>> {
  if (rootIds.length === 0 || locationIds.length === 0) {
    return new Map();
  }
  const rows = await db.any(sql.type(
    rowsOf<{ root_id: number; location_id: number; since: Micros | null; until: Micros | null }>(),
  )`
    with recursive parent as materialized (
      select location_id, parent_id, tstzrange(
          case when lag(since) over versions is null then null else since end, lead(since) over versions) as during
      from location_versions where org_id = ${orgId}
      window versions as (partition by location_id order by since)
    ), above as (
      select id as location_id, id as root_id, tstzrange(null, null) as during
      from unnest(${sql.array(locationIds, 'int4')}) as given (id)
      union
      select above.location_id, parent.parent_id, above.during * parent.during
      from above join parent on parent.location_id = above.root_id and parent.parent_id is not null
        and parent.during && above.during
    )
    select root_id, location_id, micros_of_time(lower(during)) as since, micros_of_time(upper(during)) as until
    from above where root_id = any (${sql.array(rootIds, 'int4')})`);
  return new Map(
    [...Map.groupBy(rows, ({ root_id: id }) => id)].map(([rootId, below]) => [
      rootId,
      new Map(
        [...Map.groupBy(below, ({ location_id: id }) => id)].map(([id, own]) => [
          id,
          joined(
            own.map(({ since, until }) => ({
              since: since ?? Number.NEGATIVE_INFINITY,
              until: until ?? Number.POSITIVE_INFINITY,
            })),
          ),
        ]),
      ),
    ]),
  );
}
