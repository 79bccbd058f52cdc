import { Command as AnyCommand, InvalidArgumentError } from 'commander';
import { writeJson } from '../../../base/json/json-text.ts';
import { START, TAGTRAIL } from '../../../base/typed-command.ts';
import { VERSION } from '../../../base/version.ts';
import { running } from '../running/running.ts';
import { linesForTerminal } from './for-terminal.ts';

/**
 * Never takes an option for another one's value: in `--name --json` the name is missing. A value that begins with two
 * dashes is written `--name=--json`; one dash is fine (`--min-rssi -65`).
 */
export class Command extends AnyCommand {
  declare readonly commands: readonly Command[];

  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** Its action, whose result is printed. */
  prints<Given extends unknown[]>(action: (...given: Given) => Promise<CommandResult>): this {
    return this.action(async (...given) => printResult(await action(...(given as unknown as Given))));
  }

  override parseOptions(args: string[]): ReturnType<AnyCommand['parseOptions']> {
    const given = new Set<string>();
    for (let at = 0; at < args.length && args[at] !== '--'; at++) {
      const [word = ''] = args[at]?.startsWith('--') === true ? (args[at] ?? '').split('=') : [args[at]];
      const option = this.options.find((each) => each.long === word || each.short === word);
      if (option === undefined) {
        continue;
      }
      if (given.has(option.attributeName()) && option.required && !option.variadic) {
        this.error(`error: option '${option.flags}' is given twice`);
      }
      given.add(option.attributeName());
      if (option.required && args[at] === word) {
        at += 1;
        const value = args[at] ?? '';
        if (value.startsWith('--')) {
          this.error(
            `error: option '${option.flags}' argument missing: ${value} is an option itself ` +
              `(a value that begins so is written ${word}=${value})`,
          );
        }
      }
    }
    return super.parseOptions(args);
  }
}

export interface CommandResult {
  json: object;
  text: string;
}

const RUNNING = 'Running it:';

export function commandLine(): Command {
  return new Command('tagtrail')
    .description('Asset and location tracking from the command line.')
    .version(VERSION, '--version', 'print the version')
    .addHelpCommand(
      new Command('help').argument('[command]').description('the help of a command').helpGroup(RUNNING),
    )
    .exitOverride()
    .showHelpAfterError(`(${TAGTRAIL} --help shows how it is used)`)
    .addHelpText(
      'after',
      `
Each has its own help with examples (tagtrail reader create --help). With --json a command prints one JSON document and
nothing else; an error is then one JSON document on standard error. The exit status is 0, 1 for a failure (also for
faults in a file), or 2 for wrong usage.

It works on the database that DATABASE_URL names; without it on the embedded one in TAGTRAIL_DATA (./data), which
${START} makes. It is started for the command if it is not running (but not for doctor, which looks at things as they are).

Two more words run it: ${TAGTRAIL} start, everything in one process, with the settings of the environment; and
${TAGTRAIL} demo, a simulated warehouse in a temporary folder (demo --help).

Examples:
  ${TAGTRAIL} reader create --org 1 --name 'Dock 2' --topic site/dock-2 --format csl-cs463
  ${TAGTRAIL} reader list --org 1
  ${TAGTRAIL} doctor`,
    );
}

const NOUNS: Readonly<Record<string, readonly [heading: string, about: string]>> = {
  org: [
    'Who:',
    'organizations, whose data is kept apart: create, list, rename, delete, export, import, erase',
  ],
  key: ['Who:', 'API keys: create, list, revoke'],
  handheld: ['Who:', 'handhelds and their tokens: create, list, rename, revoke'],
  user: [
    'Who:',
    'people who use the console: create, invite, list, role, remove, disable, enable, erase, reset',
  ],
  changes: ['Who:', 'who changed what: list'],
  'mqtt-consumer': ['Who:', 'who reads moves over MQTT: create, list, delete'],
  reader: ['Readers:', 'registrations, and what became of their reads: create, set, delete, list, antennas'],
  antenna: ['Readers:', 'where antennas are and what of their reads counts: set, remove'],
  location: ['Readers:', 'whether what is not read at a location is missed: watch'],
  format: ['Readers:', 'what payloads mean: list, show, add, try'],
  locate: [
    'Readers:',
    'how it is decided where assets are that several antennas hear: set, remove, list, try',
  ],
  history: ['Readers:', 'what scans make of it: recompute'],
  clock: ['Readers:', 'what was recorded under a wrong clock: mend'],
  'unknown-tags': ['What could not be recorded:', 'tags that belong to nothing: list, attach, ignore'],
  rejected: ['What could not be recorded:', 'messages and why: list, show, replay, dismiss'],
  alert: ['Rules and alerts:', 'what rules have raised: list, acknowledge'],
  rule: ['Rules and alerts:', 'when an alert is raised: add, set, remove, list, try'],
  webhook: [
    'Who is told of moves:',
    'URLs that every move is sent to: create, set, delete, list, test, attempts, replay',
  ],
  mail: ['Who is told of alerts:', 'e-mail to people: test'],
  label: ['Assets and locations:', 'labels whose RFID tags a printer writes: range, ranges, print'],
  printer: ['Assets and locations:', 'printers that take labels over TCP: add, list, remove'],
  import: ['Assets and locations:', 'from CSV: assets, locations'],
  export: [
    'Assets and locations:',
    'to CSV: assets, locations; reports to CSV or Parquet: stays, positions, dwell',
  ],
  cell: [RUNNING, 'organizations beyond one database: number, move, route, give-up'],
  database: [RUNNING, 'back it up, move it to another server, compare two: backup, restore, copy, checksums'],
};

/** Adds a command to the group of its noun (`org create`), created on demand. */
export function addCommand(program: Command, noun: string, verb: string): Command {
  const group = program.commands.find((command) => command.name() === noun) ?? addNoun(program, noun);
  return withConventions(group.command(verb), `${noun} ${verb}`);
}

function addNoun(program: Command, noun: string): Command {
  const [heading, about] = NOUNS[noun] ?? ['More:', ''];
  return program.command(noun).helpGroup(heading).summary(about);
}

export function addTopCommand(program: Command, verb: string): Command {
  return withConventions(program.command(verb), verb).helpGroup(RUNNING);
}

function withConventions(command: Command, path: string): Command {
  return command
    .option('--json', 'print one JSON document and nothing else')
    .showHelpAfterError(`(${TAGTRAIL} ${path} --help shows how it is used)`);
}

/** Arguments of `addHelpText`. */
export function examples(...commands: readonly string[]): ['after', string] {
  const head = commands.length === 1 ? 'Example' : 'Examples';
  return ['after', `\n${head}:${commands.map((each) => `\n  ${TAGTRAIL} ${each}`).join('')}`];
}

/**
 * Prints a command's output as its user asked; JSON is printed last. Names may come from a tenant, so control
 * characters are escaped for people; a command whose names must not begin a line of their own applies `forTerminal`.
 */
export function printResult({ json, text }: CommandResult): void {
  const command = running();
  if (command.isJson) {
    command.document = `${writeJson(json)}\n`;
  } else {
    command.streams.stdout.write(`${linesForTerminal(text)}\n`);
  }
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= min && number <= max)) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return number;
  };
}

export function asNumber(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(number)) {
    throw new InvalidArgumentError('It must be a number, such as 8 or -18.5.');
  }
  return number;
}

export function oneOf<Word extends string>(...words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((each) => each === text);
    if (word === undefined) {
      throw new InvalidArgumentError(`It must be one of ${words.join(', ')}.`);
    }
    return word;
  };
}

export const id = wholeNumber(1, 2_147_483_647);
