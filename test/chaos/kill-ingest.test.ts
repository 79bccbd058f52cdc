import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { useProgram } from '../support/programs.ts';
import { NO_FAULTS } from './findings.ts';
import { withScenario } from './with-scenario.ts';

const KILLS = 3;

/** Ten times what is asked for: the machine may be busy. */
const FIRST_COMMIT_MS = 20_000;

describe('ingestion killed in the middle of the publishes', function () {
  this.timeout(120_000);

  describe('with its own broker', () => {
    const database = useDatabase();

    it('has every acknowledged read once, and the history they make', () =>
      withScenario(database, { source: 'embedded' }, async (scenario) => {
        const publishing = scenario.publish();
        for (let kill = 0; kill < KILLS; kill++) {
          await scenario.reached((kill + 0.5) / (KILLS + 1));
          expect(await scenario.killIngest()).to.be.below(FIRST_COMMIT_MS);
        }
        await publishing;
        const { faults, toldTwice } = await scenario.finish();
        expect({ faults, toldTwice }).to.deep.equal({ faults: NO_FAULTS, toldTwice: 0 });
      }));
  });

  describe('in two processes that share the readers of a broker', () => {
    useProgram('mosquitto');
    const database = useDatabase();

    it('has every read once, and the history they make', () =>
      withScenario(database, { source: 'mosquitto', processes: 2, ahead: 1_000 }, async (scenario) => {
        const publishing = scenario.publish();
        for (let kill = 0; kill < KILLS; kill++) {
          await scenario.reached((kill + 0.5) / (KILLS + 1));
          expect((await scenario.killIngest(kill % 2)) ?? 0).to.be.below(FIRST_COMMIT_MS);
        }
        await publishing;
        const { faults, toldTwice, published } = await scenario.finish();
        expect({ faults, toldTwice }).to.deep.equal({ faults: NO_FAULTS, toldTwice: 0 });
        expect(published.republished).to.equal(0);
      }));
  });
});
