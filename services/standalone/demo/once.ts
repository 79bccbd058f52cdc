import { setTimeout } from 'node:timers/promises';
import type { Micros } from '../../../base/instant.ts';
import { table } from '../../../base/table.ts';
import { type AssetAnswer, askApi } from '../../../simulation/answers.ts';
import type { ApiClient } from '../../../simulation/api-client.ts';
import { compare, type Difference, pairRows } from '../../../simulation/compare.ts';
import { FeedFold } from '../../../simulation/feed-fold.ts';
import type { AssetRecord, CurrentLocation, HistoryRow } from '../../../simulation/truth/asset-record.ts';
import { ASSETS } from './assets.ts';
import type { Demo } from './demo.ts';
import { CARTS } from './hall.ts';
import type { Itinerary } from './itinerary.ts';
import { play } from './network.ts';
import { figuresOf, type PlanFigures } from './plan-figures.ts';
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

function onceReport(
  truth: readonly AssetRecord[],
  answer: readonly AssetRecord[],
  differences: readonly Difference[],
): string[] {
  return [
    ...assetTable(truth, answer, differences),
    ...showcase(truth).flatMap((record) => historyTable(record, recordOf(answer, record.asset))),
    ...differenceLines(differences),
  ];
}

/** The comparison and its result, in one line. */
function summaryLine(
  truth: readonly AssetRecord[],
  figures: PlanFigures,
  differences: readonly Difference[],
): string {
  const rows = truth.reduce((sum, { history }) => sum + history.length, 0);
  const faults = [
    `${count(figures.late)} late`,
    `${count(figures.twice)} delivered twice`,
    `${count(figures.outOfOrder)} out of order`,
  ].join(', ');
  const assets = new Set(differences.map(({ asset }) => asset)).size;
  const result = assets === 0 ? 'all agree' : `${differences.length} differences in ${assets} assets`;
  return `${truth.length} assets, ${count(rows)} history rows, ${count(figures.reads)} reads (${faults}): ${result}`;
}

function feedLine({ position, faults }: FeedFold): string {
  const wrong = faults.twice + faults.skipped + faults.inverted;
  const order = wrong === 0 ? 'each position once, in order' : `${count(wrong)} positions out of place`;
  return `The feed of moves: ${count(position)} events, ${order}; applied from the first, they are compared with the histories.`;
}

function planLines(figures: PlanFigures): string[] {
  return [
    `${count(figures.messages)} messages with ${count(figures.reads)} reads of registered tags at mounted antennas:`,
    `  ${count(figures.late)} late, from the buffer of a reader that was offline`,
    `  ${count(figures.twice)} delivered twice`,
    `  ${count(figures.outOfOrder)} after a younger read of the same asset`,
    'and what must change nothing:',
    `  ${count(figures.strangers)} reads of tags that nobody registered`,
    `  ${count(figures.unmounted)} reads by a reader that is mounted nowhere`,
    `  ${count(figures.heartbeats)} heartbeats, ${count(figures.garbage)} message that is not JSON`,
  ];
}

function assetTable(
  truth: readonly AssetRecord[],
  answer: readonly AssetRecord[],
  differences: readonly Difference[],
): string[] {
  const names = new Map(ASSETS.map(({ key, name }) => [key, name]));
  const wrong = new Set(differences.map(({ asset }) => asset));
  const assets = [...new Set([...truth, ...answer].map(({ asset }) => asset))];
  const rows = assets.map((asset) => [
    asset,
    names.get(asset) ?? '',
    ...currentCells(recordOf(truth, asset)),
    ...currentCells(recordOf(answer, asset)),
    mark(!wrong.has(asset)),
  ]);
  return [
    '',
    'Where everything is: what the simulator knows, and what the API says (times of day in UTC)',
    '',
    ...table(
      ['asset', 'name', 'truth: at', 'last seen', 'rows', 'API: at', 'last seen', 'rows', 'agree'],
      rows,
    ),
  ];
}

function currentCells(record: AssetRecord | undefined): string[] {
  if (record === undefined) {
    return ['missing', '', ''];
  }
  const { current, history } = record;
  const location =
    current === null ? ['never seen', ''] : [current.location ?? '?', timeOfDay(current.lastSeen)];
  return [...location, String(history.length)];
}

function historyTable({ asset, history }: AssetRecord, answer: AssetRecord | undefined): string[] {
  const cells = (row: { at: string; location: string; durationSeconds: number | null } | null) =>
    row === null ? ['-', '-', '-'] : [timeOfDay(row.at), row.location, duration(row.durationSeconds)];
  return [
    '',
    `The history of ${asset}: the time it came, where to, and the seconds since it came to the place before`,
    '',
    ...table(
      ['truth', 'location', 'seconds', 'API', 'location', 'seconds', 'agree'],
      pairRows(history, answer?.history ?? []).map((pair) => [
        ...cells(pair.truth),
        ...cells(pair.answer),
        mark(pair.agrees),
      ]),
    ),
  ];
}

function differenceLines(differences: readonly Difference[]): string[] {
  if (differences.length === 0) {
    return [];
  }
  const rows = differences.map(({ asset, what, truth, answer }) => [asset, what, truth, answer]);
  return ['', 'What the API says otherwise', '', ...table(['asset', 'what', 'truth', 'API'], rows)];
}

/** One of the goods, one of the equipment, and the asset that moved most. */
function showcase(truth: readonly AssetRecord[]): AssetRecord[] {
  const busiest = truth.toSorted((a, b) => b.history.length - a.history.length)[0];
  const first = (kind: string) => {
    const keys = ASSETS.filter((asset) => asset.kind === kind).map(({ key }) => key);
    return truth.find(({ asset, history }) => keys.includes(asset) && history.length > 0);
  };
  const shown = [first('goods'), first('equipment'), busiest];
  return [...new Set(shown.filter((record) => record !== undefined))];
}

function recordOf(records: readonly AssetRecord[], asset: string): AssetRecord | undefined {
  return records.find((record) => record.asset === asset);
}

function timeOfDay(time: string): string {
  return time.slice(11, 23);
}

function duration(seconds: number | null): string {
  return seconds === null ? 'first' : String(seconds);
}

function mark(agrees: boolean): string {
  return agrees ? '✓' : '✗';
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
