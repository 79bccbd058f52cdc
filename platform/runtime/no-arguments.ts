import { writeSync } from 'node:fs';
import { TAGTRAIL } from '../../base/typed-command.ts';

const HELP = `Starts, and runs until Ctrl-C or SIGTERM. It takes no arguments: its settings are variables of the
environment, which docs/settings.md lists and "${TAGTRAIL} doctor" checks.
`;

/**
 * A service that ignored arguments would start with other settings than were meant, or instead of showing help.
 *
 * @returns the exit status if it is not to start: help was asked for, or there is an argument, which is named.
 */
export function statusOfArguments(args: readonly string[]): number | null {
  const [first] = args;
  if (first === undefined) {
    return null;
  }
  if (args.includes('--help') || args.includes('-h')) {
    writeSync(process.stdout.fd, HELP);
    return 0;
  }
  writeSync(
    process.stderr.fd,
    `${first} is not understood: a service takes no arguments, its settings are variables of the environment. Try --help.\n`,
  );
  return 2;
}
