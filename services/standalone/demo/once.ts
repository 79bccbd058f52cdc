import type { Micros } from '../../../base/instant.ts';
import { askApi } from '../../../simulation/answers.ts';
import { compare } from '../../../simulation/compare.ts';
import type { Demo } from './demo.ts';
import { onceReport, planLines, summaryLine } from './once-report.ts';
import { figuresOf } from './plan-figures.ts';
import { play } from './play.ts';
import { makeScenario } from './scenario.ts';
import { truthOf } from './truth.ts';

/**
 * Plays two hours of the site into the broker, asks the API, and compares.
 *
 * @param end of the two hours; not later than now.
 * @returns whether the API agrees with the truth in everything.
 */
export async function runOnce(
  { site, connections, print }: Demo,
  { seed, end }: { seed: number; end: Micros },
): Promise<boolean> {
  const { itineraries, plan } = makeScenario(seed, end);
  const figures = figuresOf(plan);
  print(
    `Two hours of a warehouse, simulated with seed ${seed}, published over MQTT by ${site.readers.length} readers.`,
  );
  planLines(figures).forEach(print);
  const startedAt = performance.now();
  await play(plan, connections);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  print(`Acknowledged, and therefore stored, within ${seconds} s.`);

  const truth = itineraries.map(truthOf);
  const answer = await askApi(site.api);
  const differences = compare(truth, answer);
  onceReport(truth, answer, differences).forEach(print);
  print('');
  print(summaryLine(truth, figures, differences));
  return differences.length === 0;
}
