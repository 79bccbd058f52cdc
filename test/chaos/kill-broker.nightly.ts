import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { useProgram } from '../support/programs.ts';
import { NO_FAULTS } from './findings.ts';
import { withScenario } from './with-scenario.ts';

const KILLS = 2;

describe('a broker killed in the middle of the publishes', () => {
  useProgram('mosquitto');
  const database = useDatabase();

  it('loses what it had not saved, and nothing that ingestion acknowledged is lost, doubled or wrong', () =>
    withScenario(database, { source: 'mosquitto', ahead: 1_000 }, async (scenario) => {
      const publishing = scenario.publish();
      for (let kill = 0; kill < KILLS; kill++) {
        await scenario.progressed(60);
        await scenario.killBroker();
      }
      await publishing;
      const { faults } = await scenario.finish();
      expect(faults).to.deep.equal(NO_FAULTS);
    }));
});
