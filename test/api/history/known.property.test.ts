import { expect } from 'chai';
import fc from 'fast-check';
import { fromDatabase, toMicros } from '../../../base/timestamps.ts';
import type { OrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import { requireKnown } from '../../../domain/reports/known/known-at.ts';
import { listKnownTransitions } from '../../../services/api/history/queries.ts';
import { aPast } from '../../support/a-past.ts';
import { useDatabase } from '../../support/database.ts';
import { randomSets } from '../../support/random-sets.ts';
import { allPages, openDoor, RecordedPast } from '../../support/recorded-past.ts';

const microsOf = (text: string) => toMicros(fromDatabase(text));

describe('a history as it was known', () => {
  const database = useDatabase();
  let door: OrganizationDoor;
  before(() => {
    door = openDoor(database);
  });

  it('is that of the scans recorded by then, with the durations it had, after each batch (up to 100 random pasts)', async () => {
    await fc.assert(
      fc.asyncProperty(aPast, fc.integer({ min: 1, max: 5 }), async (some, limit) => {
        const past = await RecordedPast.record(database, door, some);
        for (const batch of some.batches.keys()) {
          const at = past.recordedBy(batch) ?? 0;
          const known = await requireKnown(past.db, { at, before: at + 1 }, {});
          for (const [asset, { id }] of past.assets.entries()) {
            const { rows, totalCount } = await allPages(limit, (paging) =>
              listKnownTransitions(past.db, id, known, {
                ...paging,
                from: undefined,
                to: undefined,
                known_at: undefined,
                sort: [{ field: 'event_observed_at', isDescending: false }],
              }),
            );
            const expected = past.history(asset, batch);
            expect(
              rows.map((row) => ({
                observedAt: microsOf(row.observed_at),
                locationId: row.location_id,
                durationSeconds: row.duration_seconds,
              })),
            ).to.deep.equal(expected);
            expect(totalCount).to.equal(expected.length);
          }
        }
      }),
      { numRuns: randomSets(100), interruptAfterTimeLimit: 60_000 },
    );
  });
});
