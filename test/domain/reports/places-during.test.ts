import { expect } from 'chai';
import fc from 'fast-check';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { type PlaceFilters, placesDuring } from '../../../domain/reports/places-during.ts';
import type { Window } from '../../../domain/reports/window.ts';
import { useDatabase } from '../../support/database.ts';
import { randomSets } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const MINUTE = 60_000_000;
const PLACES = 6;
const LAST = 12;

/** Each location's versions: when they begin, and which location is the parent; none where there is no such location. */
const someVersions = fc.array(
  fc.uniqueArray(fc.record({ minute: fc.nat({ max: LAST }), parent: fc.nat({ max: PLACES }) }), {
    minLength: 1,
    maxLength: 4,
    selector: ({ minute }) => minute,
  }),
  { minLength: PLACES, maxLength: PLACES },
);
type Version = { minute: number; parent: number };

describe('the locations that count in a report about the past', () => {
  const database = useDatabase();
  let site: Site;
  const ids: number[] = [];

  before(async () => {
    site = await Site.create(database);
    for (let place = 0; place < PLACES; place++) {
      ids.push(await site.location(`PLACE-${place}`));
    }
  });

  /** What a database with locks holds: never a circle. A parent with a larger number is taken for none. */
  const store = async (versions: readonly Version[][]) => {
    await database.rows('delete from location_versions');
    for (const [place, own] of versions.entries()) {
      for (const { minute, parent } of own) {
        await database.rows(
          `insert into location_versions (org_id, location_id, since, external_key, name, parent_id, is_deleted)
           values ($1, $2, time_of_micros($3), 'ANY', 'Any', $4, false)`,
          [site.orgId, ids[place], START + minute * MINUTE, parent < place ? ids[parent] : null],
        );
      }
    }
  };
  const found = async (filters: PlaceFilters, window: Window) => {
    const places = placesDuring(site.orgId, filters, window);
    return places === null
      ? null
      : databaseOn(database.pool).any(
          sql.type(rowsOf<{ place: number; at: number }>())`
            select place.location_id as place, instant.at
            from (${places}) place
              join generate_series(${window.from}::bigint, ${window.to}::bigint - 1, ${MINUTE / 2}::bigint) instant (at)
                on place.during @> time_of_micros(instant.at)
            order by instant.at, place.location_id`,
        );
  };
  const parentAt = (versions: readonly Version[], at: number) => {
    const sorted = versions.toSorted((a, b) => a.minute - b.minute);
    return (sorted.findLast(({ minute }) => START + minute * MINUTE <= at) ?? sorted[0])?.parent;
  };
  const isWithin = (versions: readonly Version[][], place: number, roots: readonly number[], at: number) => {
    for (let each = place; ; ) {
      if (roots.includes(each)) {
        return true;
      }
      const parent = parentAt(versions[each] ?? [], at) ?? PLACES;
      if (parent >= each) {
        return false;
      }
      each = parent;
    }
  };

  it('are those below the named ones at each instant, by the tree as it was then (up to 200 random trees)', async () => {
    const someRoots = fc.uniqueArray(fc.nat({ max: PLACES - 1 }), { minLength: 1, maxLength: 2 });
    const bounds = fc.tuple(fc.integer({ min: -2, max: LAST }), fc.integer({ min: 1, max: LAST }));
    await fc.assert(
      fc.asyncProperty(someVersions, someRoots, bounds, async (versions, roots, [first, length]) => {
        await store(versions);
        const window = { from: START + first * MINUTE, to: START + (first + length) * MINUTE };
        const expected = [];
        for (let at = window.from; at < window.to; at += MINUTE / 2) {
          for (const [place, id] of ids.entries()) {
            if (isWithin(versions, place, roots, at)) {
              expected.push({ place: id, at });
            }
          }
        }
        const named = roots.map((root) => ids[root] ?? 0);
        expect(await found({ location_id: named, include_descendants: true }, window)).to.deep.equal(
          expected,
        );
      }),
      { numRuns: randomSets(200), interruptAfterTimeLimit: 60_000 },
    );
  });

  it('are the named ones alone, by id or key, without their descendants', async () => {
    await store([
      [{ minute: 0, parent: PLACES }],
      ...Array.from({ length: PLACES - 1 }, () => [{ minute: 0, parent: 0 }]),
    ]);
    const window = { from: START, to: START + MINUTE };
    for (const filters of [{ location_id: [ids[0] ?? 0] }, { location_external_key: ['PLACE-0'] }]) {
      const places = await found({ ...filters, include_descendants: false }, window);
      expect(new Set(places?.map(({ place }) => place))).to.deep.equal(new Set([ids[0]]));
    }
    expect(await found({ location_id: [2_147_483_647], include_descendants: true }, window)).to.deep.equal(
      [],
    );
    expect(await found({ include_descendants: true }, window)).to.equal(null);
  });

  it('end, though the tree had a circle', async () => {
    await store([[{ minute: 0, parent: PLACES }], [{ minute: 0, parent: 0 }]]);
    await database.rows('update location_versions set parent_id = $1 where location_id = $2', [
      ids[1],
      ids[0],
    ]);
    const window = { from: START, to: START + MINUTE };
    const places = await found({ location_id: [ids[0] ?? 0], include_descendants: true }, window);
    expect(new Set(places?.map(({ place }) => place))).to.deep.equal(new Set(ids.slice(0, 2)));
  });
});
