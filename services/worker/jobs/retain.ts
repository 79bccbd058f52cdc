import { messageOf } from '../../../base/errors.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { ReaderFault } from '../../../db/timescale/schema/in-sweep.ts';
import { mergeHeardStretches } from '../../../db/timescale/schema/merge-heard-stretches.ts';
import { packReaderSpans } from '../../../db/timescale/schema/pack-reader-spans.ts';
import {
  forgetAddresses,
  makeChunksAhead,
  sweep,
  sweepMoves,
  sweepReadings,
} from '../../../db/timescale/schema/retention.ts';
import type { Job, JobParts } from './job.ts';

export interface RetentionConfig {
  SCAN_RETENTION_DAYS: number;
  /** Null for good. */
  MOVES_RETENTION_DAYS: number | null;
  READINGS_RETENTION_DAYS: number;
  ADDRESS_RETENTION_DAYS: number;
}

/** Milliseconds from one turn to the next, and to the next after one that failed. */
const EVERY = 3_600_000;
const REST = 60_000;

/** Drops expired data, and makes the next chunks. A step that fails does not prevent the others. */
export function retain(
  {
    SCAN_RETENTION_DAYS,
    MOVES_RETENTION_DAYS,
    READINGS_RETENTION_DAYS,
    ADDRESS_RETENTION_DAYS,
  }: RetentionConfig,
  { log }: Pick<JobParts, 'log'>,
): Job {
  const onFault = ({ error: err, ...reader }: ReaderFault) =>
    log.error({ ...reader, err }, 'Times in which a reader was heard could not be merged; will retry');
  return {
    ...{ name: 'retain', lock: ADVISORY_LOCKS.retention },
    // Without chunks to drop a statement may take longer than services wait.
    session: { name: 'tagtrail retention', patience: null },
    ...{ wokenBy: [], rest: REST, isBrokenOff: true },
    begin: (db) => ({
      turn: async () => {
        const steps = [
          () => makeChunksAhead(db),
          () => sweep(db, SCAN_RETENTION_DAYS),
          () => sweepReadings(db, READINGS_RETENTION_DAYS),
          () => forgetAddresses(db, ADDRESS_RETENTION_DAYS),
          () => (MOVES_RETENTION_DAYS === null ? null : sweepMoves(db, MOVES_RETENTION_DAYS)),
          () => mergeHeardStretches(db, onFault),
          () => packReaderSpans(db, onFault),
        ];
        const failed: unknown[] = [];
        for (const step of steps) {
          try {
            await step();
          } catch (error) {
            failed.push(error);
          }
        }
        if (failed.length > 0) {
          throw new AggregateError(failed, failed.map(messageOf).join('; '));
        }
        return EVERY;
      },
    }),
  };
}
