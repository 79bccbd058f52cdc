import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { loadDatedTree } from '../../presence/dated-tree.ts';
import type { Interval } from '../../presence/intervals.ts';
import type { DatedRule } from '../rules/rule.ts';

/** By root and location: sorted and disjoint. */
export type Subtrees = ReadonlyMap<number, ReadonlyMap<number, readonly Interval[]>>;

/** The locations that rules are about. */
export function rootsOf(rules: readonly DatedRule[]): number[] {
  const roots = rules.flatMap(({ locationId, selection }) => [locationId, selection.withinLocationId]);
  return [...new Set(roots)].filter((id) => id !== null);
}

/**
 * When locations belonged to the subtrees of others, by the tree at each instant.
 *
 * @throws TooMuchWork
 */
export async function loadSubtrees(
  db: Connection,
  orgId: number,
  rootIds: readonly number[],
  locationIds: readonly number[],
): Promise<Subtrees> {
  if (rootIds.length === 0 || locationIds.length === 0) {
    return new Map();
  }
  const tree = await loadDatedTree(db, orgId, locationIds);
  const below = await tree.below(locationIds, rootIds);
  return new Map(
    [...Map.groupBy(below, ({ rootId }) => rootId)].map(([rootId, own]) => [
      rootId,
      new Map(own.map(({ locationId, during }) => [locationId, during])),
    ]),
  );
}
