import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { NOTHING_SEALED, Sealer } from '../../../domain/moves/sealing/sealer.ts';
import { SEALING } from '../../../domain/moves/sealing/sealing-session.ts';
import { MOVES_WRITTEN } from '../../../domain/moves/sealing/written-announcement.ts';
import { measureSealing } from '../metrics/measure-sealing.ts';
import type { Job, JobParts } from './job.ts';

/** Gives the events of the move feed their positions. */
export function sealMoves({ log, metrics }: Pick<JobParts, 'log' | 'metrics'>): Job {
  const figures = { ...NOTHING_SEALED, isSealing: false };
  measureSealing(metrics, figures);
  return {
    ...{ name: 'seal-moves', lock: ADVISORY_LOCKS.sealing, session: SEALING },
    wokenBy: [MOVES_WRITTEN],
    // Under load, batches become larger rather than more frequent.
    rest: 25,
    begin: (db) => {
      figures.isSealing = true;
      const sealer = new Sealer(figures, {
        onSetAside: ({ orgId, moveId, error: err }) =>
          log.error(
            { orgId, moveId, err },
            "Event cannot be sealed; its organization's events wait and are retried, other organizations are not affected",
          ),
        onMended: (orgId) => log.info({ orgId }, 'Events of the organization are sealed again'),
      });
      return {
        hear: (payload) => sealer.hear(payload),
        turn: () => sealer.turn(db),
        end: async () => {
          Object.assign(figures, { ...NOTHING_SEALED, isSealing: false, sealed: figures.sealed });
        },
      };
    },
  };
}
