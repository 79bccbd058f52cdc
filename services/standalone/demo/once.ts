import { setTimeout } from 'node:timers/promises';
import type { Micros } from '../../../base/instant.ts';
import { type AssetAnswer, askApi } from '../../../simulation/answers.ts';
import type { ApiClient } from '../../../simulation/api-client.ts';
import { compare, type Difference } from '../../../simulation/compare.ts';
import { FeedFold } from '../../../simulation/feed-fold.ts';
import type { Demo } from './demo.ts';
import { feedLine, onceReport, planLines, summaryLine } from './once-report.ts';
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
  const feed = new FeedFold();
  const differences = [...compare(truth, answer), ...(await feedDifferences(site.api, feed, answer))];
  onceReport(truth, answer, differences).forEach(print);
  print('');
  print(feedLine(feed));
  print(summaryLine(truth, figures, differences));
  return differences.length === 0;
}

/** The feed follows within a moment what is recorded, but on a machine that is busy with others. */
async function feedDifferences(
  api: ApiClient,
  feed: FeedFold,
  answer: readonly AssetAnswer[],
): Promise<readonly Difference[]> {
  const patience = performance.now() + SEALED_WITHIN;
  for (;;) {
    await feed.catchUp((after) => api.moves(after));
    const differences = feed.differences(answer);
    if (differences.length === 0 || performance.now() >= patience) {
      return differences;
    }
    await setTimeout(PAUSE);
  }
}

/** Milliseconds. */
const SEALED_WITHIN = 60_000;
const PAUSE = 100;
