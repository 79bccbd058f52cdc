import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { wakeSealer } from '../../../domain/moves/wake-sealer.ts';
import { HISTORIES_ASKED, nextAsked } from '../../../domain/tracking/recompute/asked.ts';
import { recomputeOrganization } from '../../../domain/tracking/recompute/recompute-organization.ts';
import type { Job, JobParts } from './job.ts';

/** Milliseconds of one organization until it is the next one's turn. */
const SHARE = 1_000;

/** Milliseconds until it looks again, should a notification be lost. */
const IDLE = 60_000;

/** Recomputes the histories of organizations whose settings changed for scans that are recorded already. */
export function recomputeHistories({ log }: Pick<JobParts, 'log'>): Job {
  return {
    ...{ name: 'recompute-histories', lock: ADVISORY_LOCKS.recomputing },
    session: { name: 'tagtrail recomputing', patience: 60_000 },
    ...{ wokenBy: [HISTORIES_ASKED], rest: 0, isBrokenOff: true },
    begin: (db) => {
      let last = 0;
      const onMoves = wakeSealer(db);
      return {
        turn: async () => {
          const asked = await nextAsked(db, last);
          if (asked === null) {
            return IDLE;
          }
          const { orgId, settingId } = asked;
          // Whatever becomes of it, the next turn is another's.
          last = orgId;
          const signal = AbortSignal.timeout(SHARE);
          const { isFinished } = await recomputeOrganization(db, orgId, { settingId, signal, onMoves });
          if (isFinished) {
            log.info({ orgId, settingId }, 'Histories of the organization recomputed');
          }
          return 0;
        },
      };
    },
  };
}
