import { resolve } from 'node:path';
import { typedOptions } from '../../support/typed-options.ts';
import type { SourceName } from './installation.ts';
import type { LateKind } from './traffic.ts';

export interface IngestOptions {
  /** What to measure. */
  only: readonly IngestPart[];
  /** Ways in; the first of them is that of the parts which take one only. */
  sources: readonly SourceName[];
  /** Reads a message. */
  reads: readonly number[];
  /** Rows of history; the first of them is that of the parts which take one only. */
  history: readonly number[];
  /** Reads of each measurement; a quarter of them where a message has one. */
  count: number;
  repetitions: number;
  /** Seconds that the database is away. */
  outage: number;
  /** Shares of reads that are moves. */
  moves: readonly number[];
  /** Shares of reads that are late, where the recorder is measured alone: the first of them none. */
  late: readonly number[];
  /** What late reads are like. */
  lateKinds: readonly LateKind[];
  /** Reads of a batch, where the recorder is measured alone. */
  batch: number;
  /** Values that tags measured, of each read, beside the same without; 0 for none. */
  readings: number;
  /** Numbers of ingest processes that share the queues of RabbitMQ. */
  processes: readonly number[];
  /** Of one core, what each of these processes has, and what the database has; null for what there is. */
  processShare: number | null;
  databaseShare: number | null;
  /** Minutes of an even rate, its messages a second, and the file of samples of memory. */
  minutes: number;
  rate: number;
  samples: string;
  /** Assets in a hall, where locations are decided by strength or position. */
  hallAssets: number;
  /** Of 2,000 assets in a hall, reads a second. */
  hallRate: number;
  /** Of the asset that is read the most. */
  hallMinutes: number;
  /** The folder of another working tree, whose recorder or ingestion is measured beside this one's; null for none. */
  against: string | null;
}

const PARTS = [
  'throughput',
  'oddities',
  'recorder',
  'floor',
  'history',
  'latency',
  'moves',
  'feed',
  'recovery',
  'outage',
  'storage',
  'rabbitmq',
  'steady',
  'memory',
  'location',
  'beside-hall',
] as const;
export type IngestPart = (typeof PARTS)[number];

/** All that take nothing but PostgreSQL and mosquitto, and no hours. */
const IF_NAMED: readonly IngestPart[] = ['rabbitmq', 'memory', 'steady', 'location', 'beside-hall'];
const USUAL = PARTS.filter((part) => !IF_NAMED.includes(part));

const SOURCES: readonly SourceName[] = ['mosquitto', 'embedded'];

const LATE_KINDS: readonly LateKind[] = ['scattered', 'buffered'];

export function readIngestOptions(): IngestOptions {
  const { values } = typedOptions('bench:ingest', {
    options: {
      only: { type: 'string', default: USUAL.join() },
      sources: { type: 'string', default: SOURCES.join() },
      reads: { type: 'string', default: '50,20,1' },
      history: { type: 'string', default: '1e5,1e7' },
      count: { type: 'string', default: '1e5' },
      repetitions: { type: 'string', default: '5' },
      outage: { type: 'string', default: '60' },
      moves: { type: 'string', default: '0.02,0.2,1' },
      late: { type: 'string', default: '0,0.2' },
      'late-kind': { type: 'string', default: LATE_KINDS.join() },
      batch: { type: 'string', default: '1000' },
      readings: { type: 'string', default: '3' },
      processes: { type: 'string', default: '1,2,4' },
      'process-share': { type: 'string' },
      'database-share': { type: 'string' },
      minutes: { type: 'string', default: '120' },
      rate: { type: 'string', default: '600' },
      samples: { type: 'string', default: 'memory.csv' },
      'hall-assets': { type: 'string', default: '500' },
      'hall-rate': { type: 'string', default: '5000' },
      'hall-minutes': { type: 'string', default: '60' },
      against: { type: 'string' },
    },
  });
  const numbers = (list: string) => list.split(',').map(Number);
  const share = (typed: string | undefined) => (typed === undefined ? null : Number(typed));
  return {
    only: PARTS.filter((part) => values.only.split(',').includes(part)),
    sources: SOURCES.filter((source) => values.sources.split(',').includes(source)),
    reads: numbers(values.reads),
    history: numbers(values.history),
    count: Number(values.count),
    repetitions: Number(values.repetitions),
    outage: Number(values.outage),
    moves: numbers(values.moves),
    late: numbers(values.late),
    lateKinds: LATE_KINDS.filter((kind) => values['late-kind'].split(',').includes(kind)),
    batch: Number(values.batch),
    readings: Number(values.readings),
    processes: numbers(values.processes),
    processShare: share(values['process-share']),
    databaseShare: share(values['database-share']),
    minutes: Number(values.minutes),
    rate: Number(values.rate),
    samples: values.samples,
    hallAssets: Number(values['hall-assets']),
    hallRate: Number(values['hall-rate']),
    hallMinutes: Number(values['hall-minutes']),
    against: values.against === undefined ? null : resolve(values.against),
  };
}
