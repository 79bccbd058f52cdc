import { parseArgs } from 'node:util';
import { messageOf } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';

export type Options =
  | { kind: 'run'; isOnce: boolean; seed: number }
  | { kind: 'help' }
  | { kind: 'wrong'; message: string };

export const USAGE = `A simulated warehouse on a tagtrail of its own, in a folder that is thrown away.

Usage: ${TAGTRAIL} demo [options]

  --once      play two hours of the site, compare what the API says with what is true, and exit:
              0 if they agree, 1 if not
  --seed N    another course of events, 0 to 4294967295 (1 unless given); the same seed repeats them
  --help      show this

Without --once assets move about until Ctrl-C. API_PORT, MQTT_PORT, READERS_PORT,
HANDHELD_PORT and CONSOLE_PORT choose ports; any free ones are taken otherwise.`;

export function parseOptions(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { once: { type: 'boolean' }, seed: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help === true) {
      return { kind: 'help' };
    }
    const seed = values.seed ?? '1';
    if (!/^\d{1,10}$/.test(seed) || Number(seed) >= 2 ** 32) {
      return { kind: 'wrong', message: `--seed ${seed} is not a whole number from 0 to 4294967295` };
    }
    return { kind: 'run', isOnce: values.once === true, seed: Number(seed) };
  } catch (error) {
    return { kind: 'wrong', message: messageOf(error) };
  }
}
