import { expect } from 'chai';
import fc from 'fast-check';
import { fromDatabase, toMicros } from '../../../base/timestamps.ts';
import type { OrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import { listPositionsAt } from '../../../domain/reports/positions-at/list-positions-at.ts';
import { aPast, aQuestion, LAST } from '../../support/a-past.ts';
import { useDatabase } from '../../support/database.ts';
import { randomSets } from '../../support/random-sets.ts';
import { allPages, openDoor, RecordedPast } from '../../support/recorded-past.ts';

const microsOf = (text: string) => toMicros(fromDatabase(text));

describe('where assets were at an instant', () => {
  const database = useDatabase();
  let door: OrganizationDoor;
  before(() => {
    door = openDoor(database);
  });

  const asked = fc.array(
    fc.record({
      question: aQuestion,
      at: fc.integer({ min: -1, max: LAST + 1 }),
      offset: fc.constantFrom(0, 1, 350_000),
      field: fc.constantFrom(
        'asset_external_key' as const,
        'location_external_key' as const,
        'since' as const,
      ),
      isDescending: fc.boolean(),
    }),
    { minLength: 6, maxLength: 6 },
  );

  it('counts a scan for `last_seen` that was taken back later, as it was known before', async () => {
    const reader = { asset: 0, place: 0, at: 1, isByHandheld: false };
    const handheld = { asset: 0, place: 0, at: 5, isByHandheld: true };
    const takenBack = [{ batch: 0, read: 1 }];
    const past = await RecordedPast.record(database, door, {
      batches: [
        { reads: [reader, handheld], takenBack: [], isSealed: true },
        { reads: [{ ...reader, asset: 1 }], takenBack, isSealed: false },
      ],
      ...{ madeAfter: 0, moved: [], deleted: [null, null, null] },
    });
    const nothing = { assets: [0], places: null, byKey: false, include_descendants: false };
    const lastSeen = [];
    for (const knownBatches of [0, 1, null]) {
      const question = { ...nothing, include_deleted: false, limit: 1, knownBatches };
      const { rows } = await listPositionsAt(past.db, past.timeOf(LAST), await past.known(question), {
        ...past.filtersOf(question),
        ...{ limit: 1, offset: 0, sort: [] },
      });
      lastSeen.push(...rows.map((row) => microsOf(row.last_seen)));
    }
    expect(lastSeen).to.deep.equal([past.timeOf(5), past.timeOf(1), past.timeOf(1)]);
  });

  it('is what the scans received by then say, of every asset and place asked for (up to 100 random pasts)', async () => {
    await fc.assert(
      fc.asyncProperty(aPast, asked, async (some, questions) => {
        const past = await RecordedPast.record(database, door, some);
        for (const { question, at, offset, field, isDescending } of questions) {
          const until = past.timeOf(at) + offset;
          const { knownBatches, include_deleted: withDeleted } = question;
          const known = await past.known(question);
          const expected = past.assets
            .flatMap(({ id, key }, asset) => {
              const stay = past.history(asset, knownBatches).findLast(({ observedAt }) => observedAt < until);
              const deletedAt = past.deletedAt(asset, knownBatches);
              const isShown =
                stay !== undefined &&
                past.isAskedFor(question, asset) &&
                past.counts(question, stay.locationId, until - 1) &&
                (withDeleted || deletedAt === null || deletedAt >= until);
              const place = past.places.find((each) => each.id === stay?.locationId)?.key ?? '';
              return isShown
                ? [
                    {
                      id,
                      key,
                      place,
                      deletedAt,
                      since: stay.observedAt,
                      lastSeen: past.lastSeen(asset, until, knownBatches),
                    },
                  ]
                : [];
            })
            .toSorted((a, b) => {
              const [x, y] = {
                asset_external_key: [a.key, b.key],
                location_external_key: [a.place, b.place],
                since: [a.since, b.since],
              }[field] as [string, string];
              const order = x < y ? -1 : x > y ? 1 : 0;
              return (isDescending ? -order : order) || a.id - b.id;
            });
          const found = await allPages(question.limit, (paging) =>
            listPositionsAt(door.of(past.db.orgId), until, known, {
              ...past.filtersOf(question),
              ...paging,
              sort: [{ field, isDescending }],
            }),
          );
          expect(
            found.rows.map((row) => ({
              id: row.id,
              key: row.external_key,
              place: row.location_external_key,
              deletedAt: row.deleted_at === null ? null : microsOf(row.deleted_at),
              since: microsOf(row.since),
              lastSeen: microsOf(row.last_seen),
            })),
          ).to.deep.equal(expected);
          expect(found.totalCount).to.equal(expected.length);
        }
      }),
      { numRuns: randomSets(100), interruptAfterTimeLimit: 100_000 },
    );
  });
});
