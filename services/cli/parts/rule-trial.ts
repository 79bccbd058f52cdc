import { append } from '../../../base/append.ts';
import type { Kind } from '../../../domain/alerts/rules/rule.ts';
import type { TrialResult } from '../../../domain/alerts/trial/run-trial.ts';
import { listTable } from '../command-line/list-table.ts';

/** Alerts that are told one by one as JSON. */
export const MOST_ALERTS = 10_000;

const MOST_SHOWN = 50;

export function trialText(kind: Kind, result: TrialResult): string {
  const { since, until, alert_count: count, subject_count: subjects, looked_at: looked, longest } = result;
  const lines = [
    `From ${since} to ${until}: ${count} ${count === 1 ? 'alert' : 'alerts'}, for ${subjects} of ${looked} ` +
      `${nounOf(kind)}. Nothing was changed.`,
  ];
  if (longest !== null) {
    lines.push(
      `The longest lasted ${roughly(longest.seconds)}: ${nameOf(longest)} from ${longest.opened_at} on.`,
    );
    append(lines, ['', ...subjectLines(result), '', ...alertLines(result)]);
  }
  return lines.join('\n');
}

/** What rules of a kind are about. */
export function nounOf(kind: Kind): string {
  return kind === 'reader' ? 'readers' : 'assets';
}

function subjectLines({ subjects, subject_count: count }: TrialResult): string[] {
  const shown = subjects.slice(0, MOST_SHOWN);
  return [
    ...listTable(
      ['most alerts', 'alerts', 'longest', 'altogether'],
      shown.map((subject) => [
        nameOf(subject),
        String(subject.alert_count),
        roughly(subject.longest_seconds),
        roughly(subject.total_seconds),
      ]),
    ),
    ...(count > shown.length ? [`And ${count - shown.length} more.`] : []),
  ];
}

function alertLines({ alerts, alert_count: count }: TrialResult): string[] {
  const shown = alerts.slice(0, MOST_SHOWN);
  return [
    ...listTable(
      ['alert', 'opened', 'closed', 'location', 'level'],
      shown.map((alert) => [
        nameOf(alert),
        alert.is_older ? `before ${alert.opened_at}` : alert.opened_at,
        alert.closed_at ?? 'still open',
        alert.location_external_key ?? '-',
        alert.level ?? '-',
      ]),
    ),
    ...(count > shown.length ? [`And ${count - shown.length} more: --json tells up to ${MOST_ALERTS}.`] : []),
  ];
}

function nameOf(of: {
  asset_external_key: string | null;
  reader_id: number | null;
  reader_name: string | null;
}) {
  return of.asset_external_key ?? `${of.reader_name} (reader ${of.reader_id})`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
] as const;

/** In the two largest units: `3h 12m`. */
function roughly(seconds: number): string {
  const first = UNITS.findIndex(([size]) => seconds >= size);
  const units = first === -1 ? UNITS.slice(-1) : UNITS.slice(first, first + 2);
  let rest = seconds;
  const parts = units.map(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return `${count}${unit}`;
  });
  return parts.join(' ');
}
