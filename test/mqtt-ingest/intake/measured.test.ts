import { expect } from 'chai';
import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { ingestConfig } from '../../support/ingest.ts';
import { readExpected, readMeasured } from '../../support/location/measured.ts';
import { installAll, storedMoves } from '../../support/location/measured-site.ts';
import { onlyTags } from '../../support/location/play.ts';
import { publishMeasured } from '../../support/location/publish.ts';
import { itByNight } from '../../support/random-sets.ts';

describe('walks with true positions, published by their gateways', () => {
  const database = useDatabase();
  const expected = readExpected();
  const walks = onlyTags(readMeasured(), (tag) => tag.startsWith('walk'));
  const lifecycle = new Lifecycle(pino({ level: 'silent' }));
  database.beforeDrop(() => lifecycle.stop());

  itByNight('give every move of every division and procedure, to the millisecond', async () => {
    const sites = await installAll(database, walks);
    expect([...sites.keys()]).to.have.members(Object.keys(expected));
    // What was measured years ago is not too late.
    const config = { ...ingestConfig(database.url), LATENESS_DAYS: 36_500, READER_READS_PER_SECOND: 100_000 };
    const { port } = await startEmbeddedIngest(config, pino({ level: 'silent' }), lifecycle);
    await publishMeasured([port], sites.values(), walks, 'in order of time');
    for (const [name, site] of sites) {
      const moves = Object.entries(expected[name]?.moves ?? {}).filter(([tag]) => walks.reads.has(tag));
      expect(moves).to.have.lengthOf(5);
      expect(await storedMoves(database, site), name).to.deep.equal(Object.fromEntries(moves));
    }
  });
});
