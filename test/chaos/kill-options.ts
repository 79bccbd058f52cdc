import { type ParseArgsConfig, parseArgs } from 'node:util';
import { readsPerMessage, wholeNumber } from './options.ts';

/** Of scenarios in which a broker and several processes of ingestion are killed in turn. */
export interface KillOptions {
  seed: number;
  messages: number;
  readsPerMessage: number;
  /** Of ingestion. */
  processes: number;
  kills: number;
}

export const KILL_OPTIONS = '[--reads 2e5] [--batch 50] [--seed 1] [--processes 4] [--kills 20]';

const DEFAULTS = {
  reads: { type: 'string', default: '2e5' },
  batch: { type: 'string', default: '50' },
  seed: { type: 'string', default: '1' },
  processes: { type: 'string', default: '4' },
  kills: { type: 'string', default: '20' },
} as const;

/**
 * @param own the options that a scenario has besides.
 * @throws TypeError if an option is unknown or not a number.
 */
export function readKillOptions<Own extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  own: Own,
) {
  const { values } = parseArgs({ args, options: { ...DEFAULTS, ...own } });
  const typed = values as Record<keyof typeof DEFAULTS, string>;
  const batch = readsPerMessage(typed.batch);
  const options: KillOptions = {
    seed: wholeNumber('seed', typed.seed),
    messages: Math.ceil(wholeNumber('reads', typed.reads) / batch),
    readsPerMessage: batch,
    processes: wholeNumber('processes', typed.processes),
    kills: wholeNumber('kills', typed.kills),
  };
  return { options, values };
}
