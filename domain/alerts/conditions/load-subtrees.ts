import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type Interval, joined } from '../../presence/intervals.ts';
import { locationsAbove } from '../../sweeps/locations-above.ts';
import type { DatedRule } from '../rules/rule.ts';

/** By root and location: in order and apart. */
export type Subtrees = ReadonlyMap<number, ReadonlyMap<number, readonly Interval[]>>;

/** The locations that rules are about. */
export function rootsOf(rules: readonly DatedRule[]): number[] {
  const roots = rules.flatMap(({ locationId, selection }) => [locationId, selection.withinLocationId]);
  return [...new Set(roots)].filter((id) => id !== null);
}

/** When locations belonged to the subtrees of others, by root and location, by the tree as it was at each instant. */
export async function loadSubtrees(
  db: Connection,
  orgId: number,
  rootIds: readonly number[],
  locationIds: readonly number[],
): Promise<Subtrees> {
  if (rootIds.length === 0 || locationIds.length === 0) {
    return new Map();
  }
  const rows = await db.any(sql.type(
    rowsOf<{ root_id: number; location_id: number; since: Micros | null; until: Micros | null }>(),
  )`
    with recursive ${locationsAbove(orgId, locationIds)}
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
