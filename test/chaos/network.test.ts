import { setTimeout as lasts } from 'node:timers/promises';
import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { useProgram } from '../support/programs.ts';
import { itByNight } from '../support/random-sets.ts';
import { NO_FAULTS } from './findings.ts';
import { withScenario } from './with-scenario.ts';

/** Milliseconds that a network is down, silent, or slow by. */
const DOWN = 300;
const SILENT = 700;
const SLOW = 40;

describe('networks that are cut, silent and slow in the middle of the publishes', () => {
  for (const source of ['embedded', 'mosquitto'] as const) {
    describe(source === 'embedded' ? 'with the embedded broker' : 'with a broker between', () => {
      if (source === 'mosquitto') {
        useProgram('mosquitto');
      }
      const database = useDatabase();

      itByNight('have every acknowledged read once, and the history they make', () =>
        withScenario(database, { source, ahead: 1_000 }, async (scenario) => {
          const links = [...new Set(Object.values(scenario.links))];
          const publishing = scenario.publish();
          for (const [number, link] of links.entries()) {
            await scenario.reached((number + 0.5) / (links.length + 1));
            link.cut();
            await lasts(DOWN);
            link.mend();
            link.stall();
            await lasts(SILENT);
            // What was on its way while it was silent never arrives.
            link.cut();
            link.mend();
            link.slow(SLOW);
            await scenario.progressed(10);
            link.mend();
          }
          await publishing;
          const { faults, toldTwice } = await scenario.finish();
          expect(faults).to.deep.equal(NO_FAULTS);
          // A broker between makes a message of its own of what a reader sends again, without the DUP flag.
          expect(toldTwice === 0 || source === 'mosquitto').to.equal(true);
        }),
      );
    });
  }
});
