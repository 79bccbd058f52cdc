import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { SilenceTurns } from '../../../domain/presence/silence/take-turn.ts';
import type { Job, JobParts } from './job.ts';

/** Milliseconds. */
const EVERY = 2_000;

/** Derives which readers are silent. */
export function deriveSilences({ log }: JobParts): Job {
  return {
    ...{ name: 'derive-silences', lock: ADVISORY_LOCKS.silences },
    session: { name: 'tagtrail silences', patience: 30_000 },
    ...{ wokenBy: [], rest: 0 },
    begin: (db) => {
      const turns = new SilenceTurns(db, ({ orgId, error: err }) =>
        log.error({ orgId, err }, 'Silences of readers of one organization could not be derived; will retry'),
      );
      return {
        turn: async () => {
          await turns.take();
          return turns.isBehind ? 1 : EVERY;
        },
      };
    },
  };
}
