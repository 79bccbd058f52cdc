import { setTimeout as lasts } from 'node:timers/promises';
import { expect } from 'chai';
import { type TestDatabase, useDatabase } from '../support/database.ts';
import { useProgram } from '../support/programs.ts';
import { itByNight } from '../support/random-sets.ts';
import { until } from '../support/subscribed-ingest.ts';
import { useCrashingDatabase } from './crashing-database.ts';
import { NO_FAULTS } from './findings.ts';
import type { Scenario, ScenarioOptions } from './scenario.ts';
import { withScenario } from './with-scenario.ts';

const RESTARTS = 2;

/** In seconds. The outage is as many times the readers' keepalive as a minute would be of twenty seconds. */
const KEEPALIVE = 4;
const OUTAGE = 12;

/** Messages a second: a fraction of what a busy machine can do, so that there is a surplus to catch up with. */
const RATE = 20;

describe('the database that ingestion writes to', () => {
  describe('crashed and started again', () => {
    useProgram('mosquitto');
    const database = useCrashingDatabase();

    itByNight('has every acknowledged read once, and the history they make', () =>
      withScenario(database(), { source: 'mosquitto', processes: 2, ahead: 1_000 }, async (scenario) => {
        const publishing = scenario.publish();
        for (let restart = 0; restart < RESTARTS; restart++) {
          await scenario.reached((restart + 0.5) / (RESTARTS + 1));
          await database().restart();
        }
        await publishing;
        const { faults, toldTwice } = await scenario.finish();
        expect({ faults, toldTwice }).to.deep.equal({ faults: NO_FAULTS, toldTwice: 0 });
      }),
    );
  });

  describe('away while readers publish', () => {
    useProgram('mosquitto');
    const databases = { embedded: useDatabase(), mosquitto: useDatabase() };

    it('costs no reader its connection and acknowledges nothing; then ingestion catches up', async () => {
      // At the same time, because most of it is waiting.
      const both = await Promise.allSettled(
        (['embedded', 'mosquitto'] as const).map((source) =>
          withScenario(databases[source], options(source), (scenario) =>
            outlive(scenario, databases[source]),
          ),
        ),
      );
      expect(both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).to.deep.equal([]);
    });
  });
});

async function outlive(scenario: Scenario, database: TestDatabase): Promise<void> {
  const load = scenario.publishSteadily(RATE);
  await scenario.progressed(RATE);
  const usual = await committed(database);
  scenario.links.database.cut();
  // What was committed just before is acknowledged yet.
  await lasts(500);
  const { acknowledgements } = scenario.tap;
  await lasts(OUTAGE * 1_000);
  expect(scenario.tap.acknowledgements).to.equal(acknowledgements);
  expect(load.behind()).to.be.at.least(OUTAGE * RATE * 0.8);

  scenario.links.database.mend();
  await until(() => load.behind() <= RATE / 2);
  // What waited goes in larger batches, which is how it catches up, however busy the machine is.
  const all = await committed(database);
  const caughtUp = { reads: all.reads - usual.reads, commits: all.commits - usual.commits };
  expect(caughtUp.reads / caughtUp.commits).to.be.above(usual.reads / usual.commits);

  await load.stop();
  expect(scenario.publishers.disconnects).to.equal(0);
  const { faults, toldTwice } = await scenario.finish();
  expect({ faults, toldTwice }).to.deep.equal({ faults: NO_FAULTS, toldTwice: 0 });
}

/** Reads in the database, and the transactions they came by. */
async function committed(database: TestDatabase): Promise<{ reads: number; commits: number }> {
  const [row] = await database.rows<{ reads: number; commits: number }>(
    'select count(*) as reads, count(distinct xmin::text) as commits from scan_events',
  );
  return row ?? { reads: 0, commits: 0 };
}

function options(source: ScenarioOptions['source']): ScenarioOptions {
  return { source, keepalive: KEEPALIVE, traffic: { messages: 10_000 } };
}
