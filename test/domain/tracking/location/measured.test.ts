import { expect } from 'chai';
import { useDatabase } from '../../../support/database.ts';
import { readExpected, readMeasured } from '../../../support/location/measured.ts';
import { installAll, type MeasuredSite, storedMoves } from '../../../support/location/measured-site.ts';
import { ARRIVALS, type Arrival, onlyTags, recordArriving } from '../../../support/location/play.ts';
import { itByNight } from '../../../support/random-sets.ts';

/** The walks; `measured.nightly.ts` has the rest, and more orders. */
describe('recording walks with true positions', () => {
  const database = useDatabase();
  const expected = readExpected();
  const walks = onlyTags(readMeasured(), (tag) => tag.startsWith('walk'));
  let sites = new Map<string, MeasuredSite>();

  before(async () => {
    sites = await installAll(database, walks);
  });

  for (const arrival of Object.keys(ARRIVALS) as Arrival[]) {
    const test = arrival === 'in order of time' ? it : itByNight;
    test(`gives every move of every division and procedure, to the millisecond, from reads ${arrival}`, async () => {
      await database.empty('scan_events, location_transitions, positions, unsealed_moves');
      expect([...sites.keys()]).to.have.members(Object.keys(expected));
      await Promise.all(
        [...sites.values()].map((site) => recordArriving(database.pool, site, walks, arrival)),
      );
      for (const [name, site] of sites) {
        const moves = Object.entries(expected[name]?.moves ?? {}).filter(([tag]) => walks.reads.has(tag));
        expect(moves).to.have.lengthOf(5);
        expect(await storedMoves(database, site), name).to.deep.equal(Object.fromEntries(moves));
      }
    });
  }
});
