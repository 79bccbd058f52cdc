import type { ruleFields } from '../../../domain/alerts/rules/rule-fields.ts';
import { listTable } from '../command-line/list-table.ts';
import { lasting } from './duration.ts';

type Shown = ReturnType<typeof ruleFields>;

/** What a rule says, in a sentence. */
export function sayRule(
  rule: Omit<Shown, 'id' | 'mail_count' | 'valid_from' | 'ends_at' | 'location_deleted_at' | 'created_at'>,
): string {
  const { hours, time_zone: timeZone } = rule;
  return [
    saysOf[rule.kind](rule),
    ...selects(rule),
    ...(hours === null ? [] : [`${hours} (${timeZone})`]),
  ].join(', ');
}

type Said = Parameters<typeof sayRule>[0];

const saysOf: Record<Shown['kind'], (rule: Said) => string> = {
  overdue: (rule) => `overdue after ${lasting(rule.after_seconds ?? 0)}${second(rule, 'missing')}`,
  dwell: (rule) =>
    `at ${rule.location_external_key} for longer than ${lasting(rule.after_seconds ?? 0)}${second(rule, 'an alarm')}`,
  not_allowed: (rule) => `must not be at ${rule.location_external_key}`,
  must_be: (rule) => `must be at ${rule.location_external_key}${later(rule)}`,
  reader: (rule) => `reader silent or disconnected${later(rule)}`,
};

function second({ then_seconds: seconds }: Said, what: string): string {
  return seconds === null ? '' : `, ${what} after ${lasting(seconds)}`;
}

function later({ after_seconds: seconds }: Said): string {
  return (seconds ?? 0) === 0 ? '' : `, raised after ${lasting(seconds ?? 0)}`;
}

function selects(rule: Said): string[] {
  return [
    ...(rule.asset_count === null
      ? []
      : [`${rule.asset_count} ${rule.asset_count === 1 ? 'asset' : 'assets'}`]),
    ...(rule.within_location_external_key === null ? [] : [`within ${rule.within_location_external_key}`]),
    ...rule.metadata.map(({ path, value }) => `${path.join('.')}=${value}`),
    ...(rule.reader_ids === null ? [] : [`readers ${rule.reader_ids.join(', ')}`]),
  ];
}

export function rulesTable(rules: readonly Shown[]): string {
  return listTable(
    ['id', 'name', 'kind', 'says', 'since', 'until', 'mail'],
    rules.map((rule) => [
      rule.id,
      rule.name,
      rule.kind,
      sayRule(rule),
      rule.valid_from,
      rule.location_deleted_at === null
        ? (rule.ends_at ?? '-')
        : `${rule.location_deleted_at}, when its location was deleted`,
      rule.mail_to.join(', '),
    ]),
  ).join('\n');
}
