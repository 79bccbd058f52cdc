import { InvalidArgumentError } from 'commander';
import { append } from '../../../base/append.ts';
import { type FieldIssue, Invalid } from '../../../base/checks/issues.ts';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { MOST_ASSETS } from '../../../domain/alerts/conditions/load-asset-evidence.ts';
import { changeRule, endRule } from '../../../domain/alerts/rules/change-rule.ts';
import { createRule } from '../../../domain/alerts/rules/create-rule.ts';
import { KINDS, type Kind, type MetadataTerm } from '../../../domain/alerts/rules/rule.ts';
import type { RuleChange } from '../../../domain/alerts/rules/rule-change.ts';
import { type ruleFields, shownRule, shownRules } from '../../../domain/alerts/rules/rule-fields.ts';
import { listRules } from '../../../domain/alerts/rules/stored-rules.ts';
import { runTrial, type TrialResult } from '../../../domain/alerts/trial/run-trial.ts';
import { trialOf } from '../../../domain/alerts/trial/trial-of.ts';
import { makeChange, unchanged } from '../../../domain/changes/make-change.ts';
import { LASTING_KINDS, type LastingKind } from '../../../domain/tracking/reading-bound.ts';
import { addCommand, asNumber, type Command, examples, id, oneOf } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { shownTime, time } from '../command-line/instants.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { duration, lasting } from '../parts/duration.ts';
import { showProgress } from '../running/running.ts';

export function addRule(program: Command): void {
  addRuleAdd(program);
  addRuleSet(program);
  addRuleRemove(program);
  addRuleTry(program);
  addRuleList(program);
}

interface AddOptions extends RuleOptions {
  org: number;
  kind: Kind;
  validFrom?: Micros;
}

function addRuleAdd(program: Command): void {
  withRuleOptions(
    addCommand(program, 'rule', 'add')
      .description(
        'Add a rule that raises alerts when something is not as it should be. Try it first: tagtrail rule try takes the same options.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .requiredOption(
        '--kind <kind>',
        'overdue: not read for longer than --after while readers listened; dwell: longer than --after at --at; ' +
          'not_allowed: ever at --at; must_be: outside --at; reader: a reader is silent or disconnected; reading: what tags measure is --above or ' +
          '--below; battery_low: a battery is --below',
        kind,
      ),
  )
    .option('--valid-from <time>', 'when it begins, RFC 3339; up to 31 days ago; default: now', time)
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} rule add --org 1 --kind overdue --after 5m --then 30m --within COLD-ROOM` +
        `\n  ${TAGTRAIL} rule add --org 1 --kind dwell --at DOCK-1 --after 2h --then 4h --metadata owner=ACME` +
        `\n  ${TAGTRAIL} rule add --org 1 --kind must_be --at HALL-1 --after 10m --asset PUMP-1 PUMP-2 ` +
        '--hours "Mon-Fri 07:00-18:00" --time-zone Europe/Berlin' +
        `\n  ${TAGTRAIL} rule add --org 1 --kind reading --reading temperature_c --above 8 --after 10m --within COLD-ROOM` +
        `\n  ${TAGTRAIL} rule add --org 1 --kind reader --after 10m --mail anna@example.com`,
    )
    .prints(async (options: AddOptions) => {
      const { org: orgId, kind, validFrom } = options;
      const rule = await withConnections(async ({ db, actor }) => {
        const now = Date.now() * MICROS_PER_MILLISECOND;
        return shownRule(
          db,
          await withFlags(createRule(db, actor, now, { orgId, kind, validFrom, ...changeOf(options) })),
        );
      });
      return {
        json: rule,
        text: forTerminal(`Rule ${rule.id} (${rule.name}): ${sayRule(rule)}; from ${rule.valid_from} on`),
      };
    });
}

interface SetOptions extends RuleOptions {
  org: number;
  rule: string;
  validFrom?: Micros;
  endsAt?: Micros | typeof NONE;
}

function addRuleSet(program: Command): void {
  withRuleOptions(
    addCommand(program, 'rule', 'set')
      .description(
        'Change a rule from now on, or from another time on. Omitted options keep their values; none clears one.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .requiredOption('--rule <id>', 'which rule'),
  )
    .option(
      '--valid-from <time>',
      'when the change begins, RFC 3339; up to 31 days ago; default: now, or when the rule begins',
      time,
    )
    .option(
      '--ends-at <time>',
      'when the rule ends, RFC 3339; default: as planned, unless this change begins only then',
      (text) => (text === NONE ? text : time(text)),
    )
    .addHelpText(
      ...examples(
        'rule set --org 1 --rule=01KQSA8N2V6T4W8XJY3ZB5D7FH --after 10m',
        'rule set --org 1 --rule=01KQSA8N2V6T4W8XJY3ZB5D7FH --then none --asset none',
      ),
    )
    .prints(async (options: SetOptions) => {
      const { org: orgId, rule: id, validFrom = null } = options;
      const given = { ...changeOf(options), endsAt: orNothing(options.endsAt) };
      if (Object.values(given).every((value) => value === undefined)) {
        throw new AppError('invalid_input', 'Nothing to change: give an option, such as --after');
      }
      const rule = await withConnections(async ({ db, actor }) => {
        const now = Date.now() * MICROS_PER_MILLISECOND;
        return shownRule(
          db,
          await withFlags(changeRule(db, actor, now, { orgId, id }, { ...given, validFrom })),
        );
      });
      return {
        json: rule,
        text: forTerminal(
          `Rule ${rule.id} (${rule.name}): ${sayRule(rule)}; from ${rule.valid_from} ${untilText(rule.ends_at)}`,
        ),
      };
    });
}

function untilText(endsAt: string | null): string {
  return endsAt === null ? 'on' : `until ${endsAt}`;
}

interface RemoveOptions {
  org: number;
  rule: string;
  validFrom?: Micros;
}

function addRuleRemove(program: Command): void {
  addCommand(program, 'rule', 'remove')
    .description('End a rule: it raises nothing more, and its open alerts are closed.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--rule <id>', 'which rule')
    .option('--valid-from <time>', 'when it ends, RFC 3339; up to 31 days ago; default: now', time)
    .addHelpText(...examples('rule remove --org 1 --rule=01KQSA8N2V6T4W8XJY3ZB5D7FH'))
    .prints(async (options: RemoveOptions) => {
      const { org: orgId, rule: id, validFrom = null } = options;
      const rule = await withConnections(({ db, actor }) => {
        const now = Date.now() * MICROS_PER_MILLISECOND;
        return withFlags(endRule(db, actor, now, { orgId, id }, { validFrom }));
      });
      const { name } = rule.settings;
      const endsAt = shownTime(rule.endsAt);
      return {
        json: { id, name, ends_at: endsAt },
        text: forTerminal(`Rule ${id} (${name}) is removed: it ends at ${endsAt}.`),
      };
    });
}

interface TryOptions extends RuleOptions {
  org: number;
  kind?: Kind;
  rule?: string;
  since?: Micros;
}

function addRuleTry(program: Command): void {
  withRuleOptions(
    addCommand(program, 'rule', 'try')
      .description(
        'Try a rule on recorded data, as if it had always existed, and show the alerts it would have raised. ' +
          'Nothing is stored.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .option('--kind <kind>', 'the kind of a new rule, as for rule add', kind)
      .option('--rule <id>', 'an existing rule, changed by the other options'),
  )
    .option('--since <duration>', 'how far back, such as 14d or 12h; at most 31d; default: 14d', duration)
    .addHelpText(
      ...examples(
        'rule try --org 1 --kind overdue --after 5m --then 30m --since 7d',
        'rule try --org 1 --rule=01KQSA8N2V6T4W8XJY3ZB5D7FH --after 10m',
      ),
    )
    .prints(async (options: TryOptions) => {
      const { result, kind } = await withConnections(async ({ db, actor }) => {
        await requireLiveOrganization(db, options.org);
        const now = Math.floor(Date.now() / 1_000) * MICROS_PER_SECOND;
        const trial = await withFlags(
          makeChange(db, actor, async (change) =>
            unchanged(await trialOf(change, now, wantedOf(options, now))),
          ),
        );
        const { kind } = trial.settings;
        const progress = showProgress();
        const goesOn = (looked: number, of: number) => {
          progress.show(`${looked} of ${of} ${nounOf(kind)}`);
          return true;
        };
        try {
          const bounds = { alerts: MOST_ALERTS, subjects: 1_000 };
          const result = await runTrial(db, trial, { bounds, batch: MOST_ASSETS, goesOn });
          return { result, kind };
        } finally {
          progress.end();
        }
      });
      return { json: result, text: trialText(kind, result) };
    });
}

function wantedOf(options: TryOptions, now: Micros) {
  const { org: orgId, kind, rule, since } = options;
  if ((kind === undefined) === (rule === undefined)) {
    throw new AppError('invalid_input', 'Give either --kind, for a new rule, or --rule, for an existing one');
  }
  const of = kind === undefined ? { id: rule ?? '' } : { kind };
  return { orgId, of, since: since === undefined ? null : now - since, ...changeOf(options) };
}

function addRuleList(program: Command): void {
  addCommand(program, 'rule', 'list')
    .description('List the rules of an organization, oldest first.')
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText(...examples('rule list --org 1'))
    .prints(async (options: { org: number }) => {
      const rules = await withConnections(async ({ db }) => {
        await requireLiveOrganization(db, options.org);
        return shownRules(db, options.org, await listRules(db, options.org));
      });
      return { json: rules, text: rules.length === 0 ? 'No rules.' : rulesTable(rules) };
    });
}

type Shown = ReturnType<typeof ruleFields>;

/** A rule as a sentence. */
function sayRule(
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
  reading: boundText,
  battery_low: boundText,
};

function boundText(rule: Said): string {
  const { reading, above, below, hysteresis } = rule;
  const by = hysteresis === null ? '' : `, back by ${hysteresis}`;
  return `${reading} ${above === null ? `below ${below}` : `above ${above}`}${by}${later(rule)}`;
}

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

function rulesTable(rules: readonly Shown[]): string {
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

/** Alerts listed individually in JSON. */
const MOST_ALERTS = 10_000;

const MOST_SHOWN = 50;

function trialText(kind: Kind, result: TrialResult): string {
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

/** The subjects of a kind of rule. */
function nounOf(kind: Kind): string {
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
    ...(count > shown.length ? [`And ${count - shown.length} more: --json shows up to ${MOST_ALERTS}.`] : []),
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

/** Clears a setting. */
const NONE = 'none';

interface RuleOptions {
  name?: string;
  after?: Micros | typeof NONE;
  then?: Micros | typeof NONE;
  at?: string;
  reader?: Listed<number>;
  asset?: Listed<string>;
  within?: string;
  metadata?: Listed<MetadataTerm>;
  reading?: LastingKind;
  above?: number | typeof NONE;
  below?: number | typeof NONE;
  hysteresis?: number | typeof NONE;
  hours?: string;
  timeZone?: string;
  mail?: Listed<string>;
}

type Listed<Item> = Item[] | typeof NONE;

const kind = oneOf(...KINDS);

/** Options that rules share: commands that make, change and try them take the same. */
function withRuleOptions(command: Command): Command {
  return command
    .option('--name <name>', 'its name; default: its kind and location')
    .option('--after <duration>', 'how long before it raises, such as 90s, 5m, 2h or 1d', durationOrNone)
    .option(
      '--then <duration>',
      'second threshold: dwell warns at the first and alarms at this one; overdue becomes missing',
      durationOrNone,
    )
    .option('--at <key>', 'the location, with all below it; for dwell, not_allowed and must_be')
    .option(
      '--reading <kind>',
      `what is measured: ${LASTING_KINDS.join(', ')}; for reading and battery_low`,
      oneOf(...LASTING_KINDS),
    )
    .option('--above <number>', 'raises while the value is greater; for reading', numberOrNone)
    .option('--below <number>', 'raises while the value is less; for reading and battery_low', numberOrNone)
    .option(
      '--hysteresis <number>',
      'ends once the value is back by so much; default: 0.5 °C, 2 % of humidity, 5 % or 0.1 V of a battery',
      numberOrNone,
    )
    .option('--reader <id...>', 'only these readers; for the kind reader', listOf(id))
    .option('--asset <key...>', 'only these assets, by their external keys', listOf(String))
    .option('--within <key>', 'only assets that are at this location or one below it')
    .option(
      '--metadata <path=value...>',
      'only assets whose metadata has this value; names of a path are joined by dots',
      listOf(term),
    )
    .option(
      '--hours <text>',
      'working hours of must_be, such as "Mon-Fri 07:00-18:00, Sat 22:00-06:00"; default: always',
    )
    .option('--time-zone <zone>', 'the time zone of these hours, such as Europe/Berlin')
    .option(
      '--mail <address...>',
      'members of the organization who get its alerts by e-mail',
      listOf(String),
    );
}

function changeOf(options: RuleOptions): RuleChange {
  const {
    name,
    after,
    then: thenAfter,
    at,
    reading,
    above,
    below,
    hysteresis,
    reader,
    asset,
    within,
    metadata,
    hours,
    timeZone,
    mail,
  } = options;
  return {
    ...{ name, after: orNothing(after), thenAfter: orNothing(thenAfter) },
    ...{ metadata: orNothing(metadata), mailTo: orNothing(mail) },
    ...{ readerIds: orNothing(reader), assetExternalKeys: orNothing(asset) },
    ...{ reading, above: orNothing(above), below: orNothing(below) },
    hysteresis: orNothing(hysteresis),
    locationExternalKey: orNothing(at),
    withinLocationExternalKey: orNothing(within),
    ...{ hours: orNothing(hours), timeZone: orNothing(timeZone) },
  };
}

/** Faults in the words of the command line, all of them. */
async function withFlags<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Invalid) {
      const messages = new Set(error.issues.map(inFlags));
      throw new AppError('invalid_input', [...messages].join('\n'));
    }
    throw error;
  }
}

/** Seconds are written as durations are given. */
function inFlags({ field, message }: FieldIssue): string {
  const said = message.replace(FIELD, flagOf);
  return field.endsWith('_seconds') ? said.replace(/\b\d+\b/g, (seconds) => lasting(Number(seconds))) : said;
}

const FLAGS: Readonly<Record<string, string>> = {
  after_seconds: '--after',
  then_seconds: '--then',
  location_external_key: '--at',
  asset_external_keys: '--asset',
  reading: '--reading',
  above: '--above',
  below: '--below',
  hysteresis: '--hysteresis',
  within_location_external_key: '--within',
  metadata: '--metadata',
  reader_ids: '--reader',
  hours: '--hours',
  time_zone: '--time-zone',
  mail_to: '--mail',
  valid_from: '--valid-from',
  ends_at: '--ends-at',
  since: '--since',
};

/** The field that a message begins with, and others that it names. */
const FIELD = /^\w+|\b[a-z]+(_[a-z]+)+\b/g;

const flagOf = (field: string) => FLAGS[field] ?? field;

function durationOrNone(text: string): Micros | typeof NONE {
  return text === NONE ? text : duration(text);
}

function numberOrNone(text: string): number | typeof NONE {
  return text === NONE ? text : asNumber(text);
}

function listOf<Item>(read: (text: string) => Item) {
  return (text: string, before?: Listed<Item>): Listed<Item> => {
    if (before === NONE || (before !== undefined && text === NONE)) {
      throw new InvalidArgumentError('none must stand alone: it clears the setting.');
    }
    return text === NONE ? NONE : [...(before ?? []), read(text)];
  };
}

function term(text: string): MetadataTerm {
  const [, path, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (path === undefined || value === undefined) {
    throw new InvalidArgumentError(
      'It must be a path and a value, such as owner=ACME or order.customer=ACME.',
    );
  }
  return { path: path.split('.'), value };
}

function orNothing<Value>(given: Value | typeof NONE | undefined): Value | null | undefined {
  return given === NONE ? null : given;
}
