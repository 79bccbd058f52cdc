import { expect } from 'chai';
import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { ingestConfig } from '../../support/ingest.ts';
import { readExpected, readMeasured } from '../../support/location/measured.ts';
import { installAll, storedMoves } from '../../support/location/measured-site.ts';
import { onlyTags } from '../../support/location/play.ts';
import { PUBLISHED_ORDERS, publishMeasured } from '../../support/location/publish.ts';

/** `measured.test.ts` in whatever order: walks, since reads of all tags in no order have each message decide on all of them. */
describe('walks with true positions, published in any order', function () {
  this.timeout(3_600_000);

  const database = useDatabase();
  const expected = readExpected();
  const walks = onlyTags(readMeasured(), (tag) => tag.startsWith('walk'));
  const lifecycle = new Lifecycle(pino({ level: 'silent' }));
  database.beforeDrop(() => lifecycle.stop());
  const ports: number[] = [];

  before(async () => {
    const config = { ...ingestConfig(database.url), LATENESS_DAYS: 36_500, READER_READS_PER_SECOND: 100_000 };
    for (let writer = 0; writer < 2; writer++) {
      const { port } = await startEmbeddedIngest(config, pino({ level: 'silent' }), lifecycle);
      ports.push(port);
    }
  });

  for (const order of PUBLISHED_ORDERS) {
    for (let seed = 1; seed <= (order === 'shuffled' ? 10 : 1); seed++) {
      it(`give every move of every division and procedure: ${order}, seed ${seed}`, async () => {
        const sites = await installAll(database, walks);
        expect([...sites.keys()]).to.have.members(Object.keys(expected));
        const writers = order === 'by two writers at once' ? ports : ports.slice(0, 1);
        await publishMeasured(writers, sites.values(), walks, order, seed);
        for (const [name, site] of sites) {
          const moves = Object.entries(expected[name]?.moves ?? {}).filter(([tag]) => walks.reads.has(tag));
          expect(moves).to.have.lengthOf(5);
          expect(await storedMoves(database, site), name).to.deep.equal(Object.fromEntries(moves));
        }
      });
    }
  }
});
