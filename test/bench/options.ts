import { typedOptions } from '../support/typed-options.ts';

export interface BenchOptions {
  /** Numbers of scans to measure histories and the report at. */
  scans: number[];
  assets: number[];
  repetitions: number;
  /** Of each measurement. */
  seconds: number;
  /** What to measure. */
  only: readonly Part[];
}

const USUAL = ['look-up', 'row-security', 'list', 'create', 'tracking', 'waiting', 'webhooks'] as const;
/** Only if they are named: of the last, one takes PgBouncer, the other two servers of its own. */
const PARTS = [
  ...USUAL,
  'search',
  'chain',
  'sign-ins',
  'tls',
  'batches',
  'gzip',
  'pooler',
  'replica',
] as const;
export type Part = (typeof PARTS)[number];

export function readOptions(): BenchOptions {
  const { values } = typedOptions('bench:api', {
    options: {
      scans: { type: 'string', default: '1e5,1e6' },
      assets: { type: 'string', default: '1e3,1e5' },
      repetitions: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      only: { type: 'string', default: USUAL.join() },
    },
  });
  return {
    scans: values.scans.split(',').map(Number),
    assets: values.assets.split(',').map(Number),
    repetitions: Number(values.repetitions),
    seconds: Number(values.seconds),
    only: PARTS.filter((part) => values.only.split(',').includes(part)),
  };
}
