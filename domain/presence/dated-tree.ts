import { eachInTurns } from '../../base/each-in-turns.ts';
import { TooMuchWork } from '../../base/errors.ts';
import type { Micros } from '../../base/instant.ts';
import { integers } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Interval, joined, within } from './intervals.ts';

/** When a location was in the subtree of a root: sorted and disjoint. */
export interface Below {
  locationId: number;
  rootId: number;
  during: readonly Interval[];
}

/** By location and neighbour, one above or one below it: sorted and disjoint. */
type Links = Map<number, Map<number, Interval[]>>;

/** Changes of parents that are read at once. */
const MOST_LINKS = 200_000;

/** Steps between locations per question: they take about a second. */
const MOST_STEPS = 500_000;

const ALWAYS: Interval = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

/**
 * Some locations and all that were ever above them, with the tree at each instant; before its first version a location
 * counts as in that version.
 */
export class DatedTree {
  readonly locationIds: readonly number[];
  readonly #parents: Links = new Map();
  readonly #children: Links = new Map();

  /** @param links in order, by location; those without a parent may be among them. */
  constructor(links: readonly (Interval & { locationId: number; parentId: number | null })[]) {
    for (const { locationId, parentId, since, until } of links) {
      if (parentId !== null) {
        link(this.#parents, locationId, parentId, { since, until });
        link(this.#children, parentId, locationId, { since, until });
      }
    }
    this.locationIds = [...new Set(links.map(({ locationId }) => locationId))];
  }

  /**
   * When locations were in the subtrees of roots; a root is in its own. Goes up from the locations or down from the
   * roots, whichever are fewer.
   *
   * @throws TooMuchWork if both are many in a very deep tree, or locations far below others were moved very often.
   */
  async below(locationIds: readonly number[], rootIds: readonly number[]): Promise<Below[]> {
    const [locations, roots] = [new Set(locationIds), new Set(rootIds)];
    const isUp = locations.size <= roots.size;
    const walk = isUp
      ? this.#walk(locations, this.#parents, roots)
      : this.#walk(roots, this.#children, locations);
    const reached = new Map<number, Map<number, Interval[]>>();
    await eachInTurns(walk, (found) => {
      for (const { from, to, during } of found) {
        const own = reached.get(from) ?? new Map<number, Interval[]>();
        reached.set(from, own);
        own.set(to, joined([...(own.get(to) ?? []), ...during]));
      }
    });
    return [...reached].flatMap(([from, own]) =>
      [...own].map(([to, during]) => ({
        ...{ locationId: isUp ? from : to, rootId: isUp ? to : from, during },
      })),
    );
  }

  /** Follows the links from each location, all ways at once; says when it was at a wanted one. */
  *#walk(
    begun: ReadonlySet<number>,
    links: Links,
    wanted: ReadonlySet<number>,
  ): Generator<{ from: number; to: number; during: readonly Interval[] }[]> {
    let steps = 0;
    for (const from of begun) {
      let level = new Map<number, readonly Interval[]>([[from, [ALWAYS]]]);
      // No way is longer than there are locations, so it ends though the tree had a circle.
      for (let height = 0; level.size > 0 && height <= this.locationIds.length; height += 1) {
        const next = new Map<number, readonly Interval[]>();
        for (const [id, during] of level) {
          for (const [neighbour, linked] of links.get(id) ?? []) {
            steps += during.length + linked.length;
            if (steps > MOST_STEPS) {
              throw new TooMuchWork(
                `more than ${MOST_STEPS} steps between locations and those above them; ask about fewer locations`,
              );
            }
            const both = within(during, linked);
            if (both.length > 0) {
              next.set(neighbour, joined([...(next.get(neighbour) ?? []), ...both]));
            }
          }
        }
        yield [...level].flatMap(([to, during]) => (wanted.has(to) ? [{ from, to, during }] : []));
        level = next;
      }
    }
  }
}

function link(links: Links, id: number, neighbour: number, during: Interval): void {
  const ofLocation = links.get(id) ?? new Map<number, Interval[]>();
  links.set(id, ofLocation);
  const times = ofLocation.get(neighbour) ?? [];
  ofLocation.set(neighbour, times);
  times.push(during);
}

/**
 * Reads only the locations and their ancestors, level by level, by the primary key of the versions. Parents are sorted out
 * afterwards: where statistics say "empty" the index by parent would do as well, and read all of the organization's.
 */
export async function loadDatedTree(
  db: Connection,
  orgId: number,
  locationIds: readonly number[],
): Promise<DatedTree> {
  const rows = await db.any(sql.prepared(
    'load-dated-tree',
    rowsOf<{ location_id: number; parent_id: number | null; since: Micros }>(),
  )`
    with recursive reached (id) as (
      select id from unnest(${sql.binary(integers(locationIds))}::integer[]) as given (id)
      union
      select version.parent_id from reached cross join lateral (
        select parent_id from location_versions
        where org_id = ${orgId}::integer and location_id = reached.id order by since offset 0
      ) version where version.parent_id is not null
    )
    select reached.id as location_id, version.parent_id, micros_of_time(version.since) as since
    from reached cross join lateral (
      select parent_id, since, lag(parent_id) over versions as before, row_number() over versions as place
      from location_versions where org_id = ${orgId}::integer and location_id = reached.id
      window versions as (order by since) offset 0
    ) version
    where version.place = 1 or version.parent_id is distinct from version.before
    order by location_id, since limit ${MOST_LINKS + 1}`);
  if (rows.length > MOST_LINKS) {
    throw new TooMuchWork(
      `locations that had more than ${MOST_LINKS} parents above them; ask about fewer locations`,
    );
  }
  return new DatedTree(
    rows.map(({ location_id: locationId, parent_id: parentId, since }, index) => ({
      ...{ locationId, parentId },
      since: rows[index - 1]?.location_id === locationId ? since : Number.NEGATIVE_INFINITY,
      until: untilOf(locationId, rows[index + 1]),
    })),
  );
}

function untilOf(locationId: number, next: { location_id: number; since: Micros } | undefined): Micros {
  return next?.location_id === locationId ? next.since : Number.POSITIVE_INFINITY;
}
