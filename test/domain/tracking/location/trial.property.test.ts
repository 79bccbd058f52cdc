import { expect } from 'chai';
import fc from 'fast-check';
import { readSite } from '../../../../domain/tracking/location/read-site.ts';
import { type TriedMove, trySetting } from '../../../../domain/tracking/location/try-setting.ts';
import { useDatabase } from '../../../support/database.ts';
import { storeSettings } from '../../../support/location-settings.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { aRead, record, storedHistory } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';
import { provingSettings } from '../../../support/statements.ts';
import { ARRIVALS, arriving, someReads } from './passing.ts';

describe('trying the settings that are in force', () => {
  const database = useDatabase();

  it('finds exactly the history that is stored, from any time to any other (up to 60 random sets)', async () => {
    const site = await Site.create(database);
    const locations: number[] = [];
    const readers: number[] = [];
    for (const key of ['A', 'B', 'C']) {
      locations.push(await site.location(key));
      readers.push(await site.reader(key, [null]));
    }
    let assets = 0;
    let moves = 0;
    const { orgId } = site;
    const property = fc.asyncProperty(
      someReads,
      provingSettings,
      fc.infiniteStream(fc.nat()),
      async (some, dated, random) => {
        const next = () => random.next().value ?? 0;
        await storeSettings(
          database,
          orgId,
          dated.map((each) => ({
            ...each,
            locationId: each.locationId === null ? null : (locations[each.locationId - 1] ?? 0),
          })),
        );
        const name = `asset-${++assets}`;
        const assetId = await site.asset(name, name);
        for (const batch of arriving(some, ARRIVALS[next() % ARRIVALS.length] ?? 'in order', next)) {
          await record(
            database,
            batch.map(({ location, at, rssi, isByPerson }) => {
              const [readerId = 0, locationId = 0] = [readers[location - 1], locations[location - 1]];
              const scan = aRead({ orgId, readerId, value: name, locationId, at, rssi });
              const submission = { submissionId: `${name} ${location} ${at}`, index: 0 };
              return isByPerson
                ? { ...scan, rssi: null, source: { kind: 'handheld', handheldId: 1, ...submission } }
                : scan;
            }),
          );
        }
        const ordered = some.map(({ at }) => at).toSorted((a, b) => a - b);
        const near = (share: number) =>
          (ordered[Math.floor(share * (ordered.length - 1))] ?? 0) + (next() % 3) - 1;
        const period = { from: near((next() % 50) / 100), to: near(0.5 + (next() % 50) / 100) + 1 };
        const present = await readSite(database.pool, orgId);
        const sites = { present, proposed: present.withSettings(present.settings) };
        const tried = { kept: [] as TriedMove[], others: 0 };
        for await (const part of trySetting(database.pool, { orgId, assetId }, period, sites)) {
          tried.kept.push(...part.kept);
          tried.others += part.disappearing.length + part.appearing.length;
        }
        const stored = await storedHistory(database, assetId);
        const expected = stored.flatMap(({ observedAt, locationId }, index): TriedMove[] => {
          const before = stored[index - 1];
          return before === undefined || observedAt < period.from || observedAt > period.to
            ? []
            : [{ observedAt, fromLocationId: before.locationId, toLocationId: locationId }];
        });
        expect(tried).to.deep.equal({ kept: expected, others: 0 });
        moves += expected.length;
      },
    );
    await fc.assert(property, { numRuns: Math.max(20, randomSets(60)), interruptAfterTimeLimit: 60_000 });
    // About two sets in five have a move within their period.
    expect(moves).to.be.above(0);
  });
});
