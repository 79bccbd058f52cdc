import type { TestDatabase } from '../support/database.ts';
import { Scenario, type ScenarioOptions } from './scenario.ts';

/**
 * For a test: starts a scenario on a database that has none yet, and ends it however the test goes. One that needs
 * mosquitto says so by `useProgram`.
 */
export async function withScenario(
  database: TestDatabase,
  options: ScenarioOptions,
  work: (scenario: Scenario) => Promise<void>,
): Promise<void> {
  const scenario = await Scenario.start(database, options);
  try {
    await work(scenario);
  } finally {
    await scenario.end();
  }
}
