import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { DISK_FULL, fullDiskUnder } from '../support/full-disk.ts';
import { NO_FAULTS } from './findings.ts';
import { withScenario } from './with-scenario.ts';

/** The first message that cannot be decoded. */
const UNDECODABLE = 99;

describe('a full disk under the rejected messages', () => {
  const database = useDatabase();

  it('leaves what cannot be kept unacknowledged, and all is there when there is room again', () =>
    withScenario(database, { source: 'embedded', traffic: { refusedEvery: Infinity } }, async (scenario) => {
      await database.rows(DISK_FULL);
      await database.rows(fullDiskUnder('rejected_messages'));
      const publishing = scenario.publish();
      // Half of the readers: those whose messages are not committed in one batch with the undecodable ones.
      await scenario.reached(0.5);
      expect(await database.rows('select from rejected_messages')).to.deep.equal([]);
      expect(scenario.tap.acknowledged.has(UNDECODABLE)).to.equal(false);
      await database.rows('drop trigger disk_full on rejected_messages');
      await publishing;
      expect(scenario.tap.acknowledged.has(UNDECODABLE)).to.equal(true);
      expect((await scenario.finish()).faults).to.deep.equal(NO_FAULTS);
    }));
});
