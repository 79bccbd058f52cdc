import { inTurn } from '../../../base/by-turns.ts';
import type { Clock } from '../../../base/clock.ts';
import { MICROS_PER_DAY } from '../../../base/instant.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { CAPTURE_STORED } from '../../../domain/epcis/captures.ts';
import { listWaiting, recordCapture } from '../../../domain/epcis/record-capture.ts';
import { wakeSealer } from '../../../domain/moves/wake-sealer.ts';
import { PassedOver } from '../../../domain/presence/passed-over.ts';
import { Pace } from '../../../domain/tracking/batch.ts';
import type { Job, JobParts } from './job.ts';

/** Milliseconds until it looks again, should a notification be lost, and for one that failed. */
const IDLE = 60_000;
const AGAIN = 5_000;

/** Records captures of EPCIS events. Organizations take turns; one whose capture fails is passed over for a while. */
export function recordCaptures(
  times: { LATENESS_DAYS: number; SCAN_RETENTION_DAYS: number },
  clock: Clock,
  { log, pool, stopping }: Pick<JobParts, 'log' | 'pool' | 'stopping'>,
): Job {
  const rules = {
    lateness: times.LATENESS_DAYS * MICROS_PER_DAY,
    retention: times.SCAN_RETENTION_DAYS * MICROS_PER_DAY,
  };
  return {
    ...{ name: 'record-captures', lock: ADVISORY_LOCKS.captures },
    session: { name: 'tagtrail captures', patience: 60_000 },
    ...{ wokenBy: [CAPTURE_STORED], rest: 0, isBrokenOff: true },
    begin: (db) => {
      let last = 0;
      const wake = wakeSealer(pool);
      const aside = new PassedOver();
      return {
        turn: async () => {
          const waiting = new Map((await listWaiting(db)).map((ref) => [ref.orgId, ref]));
          const now = performance.now();
          const orgId = inTurn([...waiting.keys()], last).find((id) => !aside.isPassedOver(id, now));
          const ref = waiting.get(orgId ?? 0);
          if (ref === undefined) {
            return waiting.size === 0 ? IDLE : AGAIN;
          }
          // Whatever becomes of it, the next turn is another's.
          last = ref.orgId;
          try {
            await recordCapture(db, ref, {
              rules,
              clock,
              pace: new Pace(stopping),
              onMoves: () => wake([ref.orgId]),
            });
            aside.succeeded(ref.orgId);
          } catch (err) {
            aside.failed(ref.orgId, performance.now());
            log.error({ ...ref, err }, 'Capture of one organization could not be recorded; will retry');
          }
          return 0;
        },
      };
    },
  };
}
