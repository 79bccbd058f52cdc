import { setTimeout as lasts } from 'node:timers/promises';
import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { useProgram } from '../support/programs.ts';
import { itByNight } from '../support/random-sets.ts';
import { NO_FAULTS } from './findings.ts';
import { withScenario } from './with-scenario.ts';

const ROUNDS = 2;

/** Milliseconds that the network to the database is down. */
const DOWN = 300;

describe('a consumer of the move feed, while sealer, ingestion, API and network fail', () => {
  useProgram('mosquitto');
  const database = useDatabase();

  itByNight('is told every event once, in order, and ends with the histories and the report', () =>
    withScenario(
      database,
      { source: 'mosquitto', processes: 2, ahead: 1_000, isFollowed: true },
      async (scenario) => {
        const publishing = scenario.publish();
        const { database: toDatabase } = scenario.links;
        const faults = [
          () => scenario.killSealer(),
          async () => scenario.feed?.killApi(),
          async () => {
            toDatabase.cut();
            await lasts(DOWN);
            toDatabase.mend();
          },
          () => scenario.killIngest(1),
        ];
        const count = ROUNDS * faults.length;
        for (let number = 0; number < count; number++) {
          await scenario.reached((number + 0.5) / (count + 1));
          await faults[number % faults.length]?.();
        }
        await publishing;
        const { faults: found, events } = await scenario.finish();
        expect(found).to.deep.equal(NO_FAULTS);
        expect(events).to.be.above(1_000);
        expect(scenario.feed?.apis[0]?.kills).to.equal(ROUNDS);
      },
    ),
  );
});
