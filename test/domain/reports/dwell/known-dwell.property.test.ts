import { expect } from 'chai';
import fc from 'fast-check';
import type { OrganizationDoor } from '../../../../db/timescale/connections/organization-door.ts';
import { DWELL_GROUPS, readDwell } from '../../../../domain/reports/dwell/read-dwell.ts';
import { windowOf } from '../../../../domain/reports/window.ts';
import { aPast, aQuestion, LAST } from '../../../support/a-past.ts';
import { useDatabase } from '../../../support/database.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { allPages, openDoor, RecordedPast } from '../../../support/recorded-past.ts';
import { dwellByDefinition } from './dwell-by-definition.ts';
import { expectSame, groupsByName } from './found-groups.ts';
import type { Past } from './random-past.ts';

describe('the dwell of a window as it was known', () => {
  const database = useDatabase();
  let door: OrganizationDoor;
  before(() => {
    door = openDoor(database);
  });

  const bound = fc.record({
    at: fc.integer({ min: -1, max: LAST + 1 }),
    offset: fc.constantFrom(0, 999, 1_000, 350_000),
  });
  const asked = fc.array(
    fc.record({ question: aQuestion, from: bound, to: bound, groupBy: fc.constantFrom(...DWELL_GROUPS) }),
    { minLength: 6, maxLength: 6 },
  );

  it('is that of its definition, of the scans received and the assets made by then (up to 100 random pasts)', async () => {
    await fc.assert(
      fc.asyncProperty(aPast, asked, async (some, questions) => {
        const past = await RecordedPast.record(database, door, some);
        const ids = {
          assets: past.assets.map(({ id }) => id),
          places: past.places.map(({ id }) => id),
        };
        for (const { question, from, to, groupBy } of questions) {
          const window = windowOf(past.timeOf(from.at) + from.offset, past.timeOf(to.at) + to.offset);
          const wanted = {
            ...{ groupBy, timeZone: 'UTC', assets: question.assets, places: question.places },
            withDescendants: question.include_descendants,
            includeDeleted: question.include_deleted,
          };
          const known = await past.known(question);
          const found = await allPages(question.limit, (paging) =>
            readDwell(past.db, window, known, {
              ...past.filtersOf(question),
              ...paging,
              ...{ group_by: groupBy, time_zone: 'UTC', sort: [] },
            }),
          );
          expectSame(
            groupsByName(found.rows, wanted, ids),
            dwellByDefinition(asKnown(past, question.knownBatches), window, wanted),
            JSON.stringify({ question, window, groupBy }),
          );
          expect(found.totalCount).to.equal(found.rows.length);
        }
      }),
      { numRuns: randomSets(100), interruptAfterTimeLimit: 100_000 },
    );
  });
});

/** An asset that had not been made counts as one that was deleted before everything. */
function asKnown(past: RecordedPast, knownBatches: number | null): Past {
  const numbers = new Map(past.places.map(({ id }, place) => [id, place]));
  return {
    assets: past.assets.map((_, asset) => ({
      deletedAt: past.isMade(asset, knownBatches)
        ? past.deletedAt(asset, knownBatches)
        : Number.NEGATIVE_INFINITY,
      transitions: past.history(asset, knownBatches).map(({ observedAt, locationId }) => ({
        at: observedAt,
        place: numbers.get(locationId) ?? 0,
      })),
    })),
    places: past.places.map((_, place) => past.parentsOf(place)),
    instants: past.treeChanges(),
  };
}
