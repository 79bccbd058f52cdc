import { setTimeout } from 'node:timers/promises';
import type { Micros } from '../../../base/instant.ts';
import { type AssetAnswer, askApi } from '../../../simulation/answers.ts';
import type { ApiClient } from '../../../simulation/api-client.ts';
import { compare, type Difference } from '../../../simulation/compare.ts';
import { FeedFold } from '../../../simulation/feed-fold.ts';
import type { AssetRecord, CurrentLocation, HistoryRow } from '../../../simulation/truth/asset-record.ts';
import type { Demo } from './demo.ts';
import { CARTS } from './hall.ts';
import type { Itinerary } from './itinerary.ts';
import { play } from './network.ts';
import { feedLine, onceReport, planLines, summaryLine } from './once-report.ts';
import { figuresOf } from './plan-figures.ts';
import { makeScenario } from './scenario.ts';

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
  // Carts are heard in real time only.
  const carts = new Set(CARTS.map(({ key }) => key));
  const answer = await askApi(site.api, (key) => !carts.has(key));
  const feed = new FeedFold();
  const differences = [...compare(truth, answer), ...(await feedDifferences(site.api, feed, answer))];
  onceReport(truth, answer, differences).forEach(print);
  print('');
  print(feedLine(feed));
  print(summaryLine(truth, figures, differences));
  return differences.length === 0;
}

/** The feed follows recorded changes within a moment, except on a busy machine. */
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

/**
 * The API's expected answer about an asset with this itinerary, whatever happened to the messages. Computed
 * independently of the code behind the API.
 */
export function truthOf({ asset, visits }: Itinerary): AssetRecord {
  const history: HistoryRow[] = [];
  let current: CurrentLocation | null = null;
  let arrivedAt: number | null = null;
  for (const { location, reads } of visits) {
    const [first] = reads;
    const last = reads.at(-1);
    // A visit that no reader noticed never happened, as far as anybody can tell.
    if (first === undefined || last === undefined) {
      continue;
    }
    // After one that went unnoticed the asset may be back where it was: to the readers it never left.
    if (history.at(-1)?.location !== location) {
      const durationSeconds = arrivedAt === null ? null : Math.floor((first.at - arrivedAt) / 1_000_000);
      history.push({ at: toMilliseconds(first.at), location, durationSeconds });
      arrivedAt = first.at;
    }
    current = { location, lastSeen: toMilliseconds(last.at) };
  }
  return { asset, current, history };
}

/** Microseconds as the API writes them: finer digits are cut off. */
function toMilliseconds(micros: number): string {
  return new Date(Math.floor(micros / 1_000)).toISOString();
}
