import { inTurn } from '../../../base/by-turns.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { wakeSealer } from '../../../domain/moves/wake-sealer.ts';
import { PassedOver } from '../../../domain/presence/passed-over.ts';
import { HISTORIES_ASKED, listAsked } from '../../../domain/tracking/recompute/asked.ts';
import { ALL, stepsOfRecomputing } from '../../../domain/tracking/recompute/recompute-organization.ts';
import type { Job, JobParts } from './job.ts';

/** Milliseconds of one organization until it is the next one's turn. */
const SHARE = 1_000;

/** Milliseconds until it looks again, should a notification be lost, and for one that failed. */
const IDLE = 60_000;
const AGAIN = 5_000;

/**
 * Recomputes the histories of organizations whose settings changed for scans that are recorded already. Organizations take turns;
 * one that fails is passed over for a while.
 */
export function recomputeHistories({ log }: Pick<JobParts, 'log'>, share = SHARE): Job {
  return {
    ...{ name: 'recompute-histories', lock: ADVISORY_LOCKS.recomputing },
    session: { name: 'tagtrail recomputing', patience: 60_000 },
    ...{ wokenBy: [HISTORIES_ASKED], rest: 0, isBrokenOff: true },
    begin: (db) => {
      let last = 0;
      const onMoves = wakeSealer(db);
      const begun = new Map<number, ReturnType<typeof stepsOfRecomputing>>();
      const aside = new PassedOver();
      /** @returns whether it is finished. */
      const goOn = async (orgId: number, settingId: number) => {
        const steps = begun.get(orgId) ?? stepsOfRecomputing(db, orgId, { settingId, onMoves });
        begun.set(orgId, steps);
        const since = performance.now();
        do {
          if ((await steps.next()).done === true) {
            begun.delete(orgId);
            return true;
          }
        } while (performance.now() - since < share);
        return false;
      };
      return {
        turn: async () => {
          const asked = new Map((await listAsked(db)).map(({ orgId, settingId }) => [orgId, settingId]));
          const now = performance.now();
          const orgId = inTurn([...asked.keys()], last).find((id) => !aside.isPassedOver(id, now));
          if (orgId === undefined) {
            return asked.size === 0 ? IDLE : AGAIN;
          }
          // Even if it fails, the next turn is another organization's.
          last = orgId;
          const settingId = asked.get(orgId);
          try {
            if (await goOn(orgId, settingId ?? ALL)) {
              log.info({ orgId, settingId }, 'Histories of the organization recomputed');
            }
            aside.succeeded(orgId);
          } catch (err) {
            begun.delete(orgId);
            aside.failed(orgId, performance.now());
            log.error(
              { orgId, settingId, err },
              'Histories of one organization could not be recomputed; will retry',
            );
          }
          return 0;
        },
      };
    },
  };
}
