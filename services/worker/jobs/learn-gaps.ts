import type { Clock } from '../../../base/clock.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { GapLearner } from '../../../domain/presence/coverage/learn-gaps.ts';
import type { Job, JobParts } from './job.ts';

/** Milliseconds between two locations, and between searches for a due one. */
const EVERY = 2_000;
const IDLE = 60_000;

/**
 * Learns how often things are read at locations. A job of its own, because a location with much history would delay
 * silences.
 */
export function learnGaps(clock: Clock, { log }: Pick<JobParts, 'log'>): Job {
  return {
    ...{ name: 'learn-gaps', lock: ADVISORY_LOCKS.gaps },
    session: { name: 'tagtrail gaps', patience: 30_000 },
    ...{ wokenBy: [], rest: 0 },
    begin: (db) => {
      const learner = new GapLearner(({ error: err, ...place }) =>
        log.error(
          { ...place, err },
          'How often things are read at a location could not be learned; will retry',
        ),
      );
      return { turn: async () => ((await learner.turn(db, clock())) ? EVERY : IDLE) };
    },
  };
}
