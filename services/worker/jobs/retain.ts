import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { mergeHeardStretches } from '../../../db/timescale/schema/merge-heard-stretches.ts';
import { packReaderSpans } from '../../../db/timescale/schema/pack-reader-spans.ts';
import {
  forgetAddresses,
  makeChunksAhead,
  sweep,
  sweepMoves,
  sweepReadings,
} from '../../../db/timescale/schema/retention.ts';
import type { Job } from './job.ts';

export interface RetentionConfig {
  SCAN_RETENTION_DAYS: number;
  /** Null for good. */
  MOVES_RETENTION_DAYS: number | null;
  READINGS_RETENTION_DAYS: number;
  ADDRESS_RETENTION_DAYS: number;
}

/** Milliseconds. */
const EVERY = 3_600_000;

/** Drops expired data, and makes room for what comes. */
export function retain({
  SCAN_RETENTION_DAYS,
  MOVES_RETENTION_DAYS,
  READINGS_RETENTION_DAYS,
  ADDRESS_RETENTION_DAYS,
}: RetentionConfig): Job {
  return {
    ...{ name: 'retain', lock: ADVISORY_LOCKS.retention },
    // Without chunks to drop a statement may take longer than services wait.
    session: { name: 'tagtrail retention', patience: null },
    ...{ wokenBy: [], rest: 0, isBrokenOff: true },
    begin: (db) => ({
      turn: async () => {
        await makeChunksAhead(db);
        await sweep(db, SCAN_RETENTION_DAYS);
        await sweepReadings(db, READINGS_RETENTION_DAYS);
        await forgetAddresses(db, ADDRESS_RETENTION_DAYS);
        await mergeHeardStretches(db);
        await packReaderSpans(db);
        if (MOVES_RETENTION_DAYS !== null) {
          await sweepMoves(db, MOVES_RETENTION_DAYS);
        }
        return EVERY;
      },
    }),
  };
}
