import { typedOptions } from '../../support/typed-options.ts';

export interface AlertOptions {
  /** What to measure. */
  only: readonly AlertPart[];
  assets: number;
  /** Reads of each measurement. */
  count: number;
  rounds: number;
  /** For which it is measured how soon alerts are told. */
  seconds: number;
  /** Shares of reads that are moves. */
  moves: readonly number[];
  /** Whether one move in forty opens an alert; one in two thousand if left out. */
  areManyAlerted: boolean;
  /** Values with each read; the rules are about them then. */
  readings: number;
}

const PARTS = ['rate', 'telling', 'takeover'] as const;
export type AlertPart = (typeof PARTS)[number];

export function readAlertOptions(): AlertOptions {
  const { values } = typedOptions('bench:alerts', {
    options: {
      only: { type: 'string', default: PARTS.join() },
      assets: { type: 'string', default: '1e5' },
      count: { type: 'string', default: '5e5' },
      rounds: { type: 'string', default: '4' },
      seconds: { type: 'string', default: '60' },
      moves: { type: 'string', default: '0.02,0.05,0.2' },
      many: { type: 'boolean', default: false },
      readings: { type: 'string', default: '0' },
    },
  });
  return {
    only: PARTS.filter((part) => values.only.split(',').includes(part)),
    assets: Number(values.assets),
    count: Number(values.count),
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    moves: values.moves.split(',').map(Number),
    areManyAlerted: values.many,
    readings: Number(values.readings),
  };
}
