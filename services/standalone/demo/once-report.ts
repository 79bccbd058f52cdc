import { table } from '../../../base/table.ts';
import { type Difference, pairRows } from '../../../simulation/compare.ts';
import type { FeedFold } from '../../../simulation/feed-fold.ts';
import type { AssetRecord } from '../../../simulation/truth/asset-record.ts';
import { ASSETS } from './assets.ts';
import type { PlanFigures } from './plan-figures.ts';

export function onceReport(
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
export function summaryLine(
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

export function feedLine({ position, faults }: FeedFold): string {
  const wrong = faults.twice + faults.skipped + faults.inverted;
  const order = wrong === 0 ? 'each position once, in order' : `${count(wrong)} positions out of place`;
  return `The feed of moves: ${count(position)} events, ${order}; applied from the first, they are compared with the histories.`;
}

export function planLines(figures: PlanFigures): string[] {
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
