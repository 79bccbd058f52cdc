import { type Command, InvalidArgumentError } from 'commander';
import { type FieldIssue, Invalid } from '../../../base/checks/issues.ts';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { KINDS, type MetadataTerm } from '../../../domain/alerts/rules/rule.ts';
import type { RuleChange } from '../../../domain/alerts/rules/rule-change.ts';
import { id, oneOf } from '../command-line/command-line.ts';
import { lasting, secondsIn } from './duration.ts';

/** Takes away what was set. */
export const NONE = 'none';

export interface RuleOptions {
  name?: string;
  after?: Micros | typeof NONE;
  then?: Micros | typeof NONE;
  at?: string;
  reader?: Listed<number>;
  asset?: Listed<string>;
  within?: string;
  metadata?: Listed<MetadataTerm>;
  hours?: string;
  timeZone?: string;
  mail?: Listed<string>;
}

type Listed<Item> = Item[] | typeof NONE;

export const kind = oneOf(...KINDS);

/** What rules have in common: commands that make, change and try them take the same. */
export function withRuleOptions(command: Command): Command {
  return command
    .option('--name <name>', 'what people call it; its kind and location if left out')
    .option('--after <duration>', 'raises after so long, as 90s, 5m, 2h or 1d', durationOrNone)
    .option(
      '--then <duration>',
      'second threshold: dwell warns at the first and raises at this one; overdue becomes missing',
      durationOrNone,
    )
    .option('--at <key>', 'the location, with all below it: of dwell, not_allowed and must_be')
    .option('--reader <id...>', 'only these readers; of the kind reader', listOf(id))
    .option('--asset <key...>', 'only these assets, by their external keys', listOf(String))
    .option('--within <key>', 'only assets that are at this location or one below it')
    .option(
      '--metadata <path=value...>',
      'only assets whose metadata has this value; names of a path are joined by dots',
      listOf(term),
    )
    .option(
      '--hours <text>',
      'hours of work of must_be, as "Mon-Fri 07:00-18:00, Sat 22:00-06:00"; at all times if left out',
    )
    .option('--time-zone <zone>', 'of these hours, as Europe/Berlin')
    .option('--mail <address...>', 'members of the organization who are sent its alerts', listOf(String));
}

export function changeOf(options: RuleOptions): RuleChange {
  const {
    name,
    after,
    then: thenAfter,
    at,
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
    locationExternalKey: orNothing(at),
    withinLocationExternalKey: orNothing(within),
    ...{ hours: orNothing(hours), timeZone: orNothing(timeZone) },
  };
}

/** Faults in the words of the command line, all of them. */
export async function withFlags<Result>(work: Promise<Result>): Promise<Result> {
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

export function duration(text: string): Micros {
  const seconds = secondsIn(text);
  if (Number.isNaN(seconds)) {
    throw new InvalidArgumentError('It is a duration, as 90s, 5m, 2h or 1d.');
  }
  return seconds * MICROS_PER_SECOND;
}

function listOf<Item>(read: (text: string) => Item) {
  return (text: string, before?: Listed<Item>): Listed<Item> => {
    if (before === NONE || (before !== undefined && text === NONE)) {
      throw new InvalidArgumentError('none stands alone: it takes away what was set.');
    }
    return text === NONE ? NONE : [...(before ?? []), read(text)];
  };
}

function term(text: string): MetadataTerm {
  const [, path, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (path === undefined || value === undefined) {
    throw new InvalidArgumentError('It is a path and a value, as owner=ACME or order.customer=ACME.');
  }
  return { path: path.split('.'), value };
}

export function orNothing<Value>(given: Value | typeof NONE | undefined): Value | null | undefined {
  return given === NONE ? null : given;
}
