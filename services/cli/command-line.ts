import { Command, CommanderError, InvalidArgumentError } from 'commander';

/** What a command tells: the document that `--json` prints, and the same for a person. */
export interface Told {
  json: object;
  text: string;
}

/** A command line with the conventions all commands share. */
export function commandLine(): Command {
  return new Command('tagtrail')
    .description('Asset and location tracking from the command line.')
    .exitOverride()
    .showHelpAfterError('(--help shows how it is used)')
    .addHelpText(
      'after',
      `
It works on the database that DATABASE_URL names; without it on the embedded one in TAGTRAIL_DATA (./data), which is
started for the command if it is not running.`,
    );
}

/** Adds a command in the group of its noun (`org create`), made if it is not there yet. */
export function addCommand(program: Command, noun: string, verb: string): Command {
  const group = program.commands.find((command) => command.name() === noun) ?? program.command(noun);
  return withJson(group.command(verb));
}

/** Adds a command that has no noun. */
export function addTopCommand(program: Command, verb: string): Command {
  return withJson(program.command(verb));
}

function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON document and nothing else');
}

/** Prints what a command told, in the form its options ask for. */
export function tell({ json, text }: Told, { json: isJson }: { json?: boolean }): void {
  process.stdout.write(`${isJson === true ? JSON.stringify(json) : text}\n`);
}

/** Reads an option's whole number. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= min && number <= max)) {
      throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`);
    }
    return number;
  };
}

/** Reads an option that is one of a few words. */
export function oneOf<Word extends string>(...words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = words.find((each) => each === text);
    if (word === undefined) {
      throw new InvalidArgumentError(`It is one of ${words.join(', ')}.`);
    }
    return word;
  };
}

/** Ids of organizations, readers and handhelds. */
export const id = wholeNumber(1, 2_147_483_647);

/** The exit status of an error of the command line itself; null if it is none. */
export function usageStatus(error: unknown): number | null {
  if (!(error instanceof CommanderError)) {
    return null;
  }
  return error.exitCode === 0 ? 0 : WRONG_USAGE;
}

export const FAILED = 1;
export const WRONG_USAGE = 2;
