import { greatestOf } from '../../../base/extremes.ts';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { allDifferences, type CheckResult } from './check.ts';
import type { Simulated } from './simulate.ts';

export function simulatedText({ progress, truth }: Simulated, truthFile: string | null): string {
  const { elapsed, messages, reads } = progress;
  const seen = truth.assets.filter(({ current }) => current !== null).length;
  const rows = truth.assets.reduce((sum, { history }) => sum + history.length, 0);
  const undecided = truth.assets.filter((asset) => asset.undecided !== null).length;
  return [
    ...table(
      ['reader', 'format', 'messages', 'reads', 'recorded', 'duplicates', 'unknown', 'unplaced', 'rejected'],
      truth.readers.map((reader) => [
        reader.reader,
        reader.format,
        ...[reader.messages, reader.reads, reader.recorded, reader.duplicates].map(String),
        ...[reader.unknown, reader.unplaced, reader.rejected].map(String),
      ]),
    ),
    '',
    `${count(reads)} reads in ${count(messages)} messages within ${Math.round(elapsed)} s: ${count(seen)} of ${count(truth.assets.length)} assets seen, ${count(rows)} rows of history`,
    ...(undecided === 0 ? [] : [`Of ${count(undecided)} assets it cannot be told what is true.`]),
    ...(truthFile === null
      ? []
      : [`What is true is in ${truthFile}. Next: ${TAGTRAIL} simulate --check ${truthFile}`]),
  ].join('\n');
}

export function checkedText(result: CheckResult): string {
  const { assets, rows, readers, events, undecided } = result;
  const all = allDifferences(result);
  const feed = events === null ? '' : `, ${count(events)} events of the move feed`;
  const compared = `${count(assets)} assets, ${count(rows)} rows of history, ${count(readers)} readers${feed}`;
  return [
    ...(all.length === 0
      ? []
      : [
          ...table(
            ['of', 'what', 'truth', 'answer'],
            all.slice(0, MOST_SHOWN).map(({ of, what, truth, answer }) => [of, what, truth, answer]),
          ),
          ...(all.length > MOST_SHOWN ? [`… and ${all.length - MOST_SHOWN} more`] : []),
          '',
        ]),
    ...(undecided.length === 0 ? [] : [`Not compared, what is true cannot be told: ${undecided.join(', ')}`]),
    ...(events === null ? ['Not compared, its beginning is not kept any more: the move feed'] : []),
    ...smoothingLines(result),
    ...presenceLines(result),
    ...alertLines(result),
    `${compared}: ${all.length === 0 ? 'all agree' : `${count(all.length)} differences`}`,
  ].join('\n');
}

function alertLines({ alerts }: CheckResult): string[] {
  if (alerts === null) {
    return [];
  }
  const delays = alerts.thefts.flatMap(({ alerted_after_seconds: seconds }) => seconds ?? []);
  const thefts = delays.length === 0 ? '' : `; of thefts within ${Math.ceil(greatestOf(delays))} s`;
  return [
    `Alerts: ${count(alerts.assets)} about assets, ${count(alerts.readers)} about readers, ${count(alerts.withdrawn)} withdrawn${thefts}`,
  ];
}

function presenceLines({ presence }: CheckResult): string[] {
  if (presence === null) {
    return [];
  }
  const { compared, states, thefts } = presence;
  const each = Object.entries(states).map(([state, times]) => `${state} ${count(times)}`);
  const delays = thefts.flatMap(({ found_after_seconds: seconds }) => seconds ?? []);
  const found = delays.length === 0 ? '' : `, overdue within ${Math.ceil(greatestOf(delays))} s`;
  return [
    `Presence: ${count(compared)} states compared (right: ${each.join(', ')})`,
    ...(thefts.length === 0 ? [] : [`Thefts: ${delays.length} of ${thefts.length} found${found}`]),
  ];
}

/** The usual cause of many differences. */
function smoothingLines({ smoothing, differences }: CheckResult): string[] {
  if (smoothing === true) {
    return [
      `Smoothing was on in this organization (${TAGTRAIL} smoothing show): what is true is told without it, so that histories differ. Simulate in an organization without smoothing.`,
    ];
  }
  return smoothing === null && differences.length > 0
    ? [
        `If smoothing is on in the organization (${TAGTRAIL} smoothing show), histories differ: what is true is told without it.`,
      ]
    : [];
}

const MOST_SHOWN = 100;

function count(number: number): string {
  return number.toLocaleString('en-US');
}
