import { parseArgs } from 'node:util';

import type { ScenarioOptions } from './scenario.ts';

export interface ChaosOptions {
  /** Reads through each kind of broker. */
  reads: number;
  readsPerMessage: number;
  seed: number;
  /** How often each fault is made, over both kinds of broker. */
  kills: number;
  sealerKills: number;
  apiKills: number;
  receiverKills: number;
  restarts: number;
  cuts: number;
  brokerKills: number;
  /** Of the processes that derive alerts, apart from the others. */
  alertKills: number;
  /** Seconds without database. */
  outage: number;
  /** Whether webhooks tell of it all, too, which takes longer than the rest. */
  hasWebhooks: boolean;
  /** Kinds of broker. */
  through: readonly ScenarioOptions['source'][];
}

export const OPTIONS = `[--reads 1e6] [--batch 50] [--seed 1] [--kills 20] [--sealer-kills 20] [--api-kills 20]
  [--receiver-kills 20] [--restarts 5] [--cuts 20] [--broker-kills 3] [--alert-kills 20] [--outage 60]
  [--webhooks on|off] [--through mosquitto,embedded,push]`;

const SOURCES = ['mosquitto', 'embedded', 'push'] as const;

/** @throws TypeError if an option is unknown or not a number. */
export function readChaosOptions(args: string[]): ChaosOptions {
  const { values } = parseArgs({
    args,
    options: {
      reads: { type: 'string', default: '1e6' },
      batch: { type: 'string', default: '50' },
      seed: { type: 'string', default: '1' },
      kills: { type: 'string', default: '20' },
      'sealer-kills': { type: 'string', default: '20' },
      'api-kills': { type: 'string', default: '20' },
      'receiver-kills': { type: 'string', default: '20' },
      restarts: { type: 'string', default: '5' },
      cuts: { type: 'string', default: '20' },
      'broker-kills': { type: 'string', default: '3' },
      'alert-kills': { type: 'string', default: '20' },
      outage: { type: 'string', default: '60' },
      webhooks: { type: 'string', default: 'on' },
      through: { type: 'string', default: 'mosquitto,embedded' },
    },
  });
  const number = (name: keyof typeof values): number => wholeNumber(name, values[name]);
  return {
    reads: number('reads'),
    readsPerMessage: readsPerMessage(values.batch),
    seed: number('seed'),
    kills: number('kills'),
    sealerKills: number('sealer-kills'),
    apiKills: number('api-kills'),
    receiverKills: number('receiver-kills'),
    restarts: number('restarts'),
    cuts: number('cuts'),
    brokerKills: number('broker-kills'),
    alertKills: number('alert-kills'),
    outage: number('outage'),
    hasWebhooks: onOrOff('webhooks', values.webhooks),
    through: SOURCES.filter((source) => values.through.split(',').includes(source)),
  };
}

/** Of which the scenarios have so many: a message's reads are of as many assets. */
export const ASSETS = 2_000;

/** @throws TypeError if `--batch` has another value than a number of reads that a message may have. */
export function readsPerMessage(value: string): number {
  const number = wholeNumber('batch', value);
  if (number < 1 || number > ASSETS) {
    throw new TypeError(`--batch ${value} is not between 1 and ${ASSETS}`);
  }
  return number;
}

/** @throws TypeError that names the option if its value is neither. */
export function onOrOff(name: string, value: string): boolean {
  if (value !== 'on' && value !== 'off') {
    throw new TypeError(`--${name} ${value} is neither on nor off`);
  }
  return value === 'on';
}

/** @throws TypeError that names the option if its value is none. */
export function wholeNumber(name: string, value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) {
    throw new TypeError(`--${name} ${value} is not a whole number`);
  }
  return number;
}
