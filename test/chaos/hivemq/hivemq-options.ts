import { parseArgs } from 'node:util';
import { wholeNumber } from '../options.ts';

export interface HivemqOptions {
  reads: number;
  seed: number;
  /** Of ingestion. */
  processes: number;
  /** Of the broker and of processes of ingestion in turn. */
  kills: number;
  /** Whether by shared subscriptions, or else in turns at ordinary sessions. */
  isShared: boolean;
}

export const HIVEMQ_OPTIONS = '[--reads 1e5] [--seed 1] [--processes 4] [--kills 20] [--shared on|off]';

/** @throws TypeError if an option is unknown or not a number. */
export function readHivemqOptions(args: string[]): HivemqOptions {
  const { values } = parseArgs({
    args,
    options: {
      reads: { type: 'string', default: '1e5' },
      seed: { type: 'string', default: '1' },
      processes: { type: 'string', default: '4' },
      kills: { type: 'string', default: '20' },
      shared: { type: 'string', default: 'on' },
    },
  });
  const number = (name: keyof typeof values): number => wholeNumber(name, values[name]);
  if (values.shared !== 'on' && values.shared !== 'off') {
    throw new TypeError(`--shared ${values.shared} is neither on nor off`);
  }
  return {
    reads: number('reads'),
    seed: number('seed'),
    processes: number('processes'),
    kills: number('kills'),
    isShared: values.shared === 'on',
  };
}
