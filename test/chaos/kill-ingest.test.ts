import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { useProgram } from '../support/programs.ts';
import { itByNight, randomSets } from '../support/random-sets.ts';
import { NO_FAULTS } from './findings.ts';
import { withScenario } from './with-scenario.ts';

const KILLS = randomSets(3);

/** From when the new process is ready: on a busy machine it takes most of the time, up to 20 s, to be loaded. */
const FIRST_COMMIT_MS = 20_000;

describe('ingestion killed in the middle of the publishes', () => {
  for (const source of ['embedded', 'push'] as const) {
    describe(source === 'push' ? 'that are pushed over HTTP' : 'with its own broker', () => {
      const database = useDatabase();

      const test = source === 'embedded' ? it : itByNight;
      test('has every acknowledged read once, and the history they make', () =>
        withScenario(database, { source }, async (scenario) => {
          const publishing = scenario.publish();
          for (let kill = 0; kill < KILLS; kill++) {
            await scenario.reached((kill + 0.5) / (KILLS + 1));
            const recovery = await scenario.killIngest();
            expect(recovery?.sinceReady).to.be.below(FIRST_COMMIT_MS);
          }
          await publishing;
          const { faults, toldTwice } = await scenario.finish();
          expect({ faults, toldTwice }).to.deep.equal({ faults: NO_FAULTS, toldTwice: 0 });
        }));
    });
  }

  describe('in two processes that share the readers of a broker', () => {
    useProgram('mosquitto');
    const database = useDatabase();

    itByNight('has every read once, and the history they make by strength', () => {
      const options = { processes: 2, ahead: 1_000, isByStrength: true };
      return withScenario(database, { source: 'mosquitto', ...options }, async (scenario) => {
        const publishing = scenario.publish();
        for (let kill = 0; kill < KILLS; kill++) {
          await scenario.reached((kill + 0.5) / (KILLS + 1));
          const recovery = await scenario.killIngest(kill % 2);
          expect(recovery?.sinceReady ?? 0).to.be.below(FIRST_COMMIT_MS);
        }
        await publishing;
        const { faults, toldTwice, published } = await scenario.finish();
        expect({ faults, toldTwice }).to.deep.equal({ faults: NO_FAULTS, toldTwice: 0 });
        expect(published.republished).to.equal(0);
        const proven = await database.rows(`select from location_transitions where proof = 'strength'`);
        expect(proven).not.to.deep.equal([]);
      });
    });
  });
});
