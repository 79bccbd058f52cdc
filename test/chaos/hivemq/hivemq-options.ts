import { KILL_OPTIONS, type KillOptions, readKillOptions } from '../kill-options.ts';

export interface HivemqOptions extends KillOptions {
  /** Whether by shared subscriptions, or else in turns at ordinary sessions. */
  isShared: boolean;
}

export const HIVEMQ_OPTIONS = `${KILL_OPTIONS} [--shared on|off]`;

/** @throws TypeError if an option is unknown or not a number. */
export function readHivemqOptions(args: string[]): HivemqOptions {
  const { options, values } = readKillOptions(args, { shared: { type: 'string', default: 'on' } });
  if (values.shared !== 'on' && values.shared !== 'off') {
    throw new TypeError(`--shared ${values.shared} is neither on nor off`);
  }
  return { ...options, isShared: values.shared === 'on' };
}
