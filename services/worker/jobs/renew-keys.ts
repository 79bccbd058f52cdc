import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { beginRenewing, nextToRenew, renewNext } from '../../../domain/master-data/tags/renew-keys.ts';
import { PassedOver } from '../../../domain/presence/passed-over.ts';
import type { Job, JobParts } from './job.ts';

/** Milliseconds until it looks again: processes of a former version may attach tags until they are restarted. */
const IDLE = 600_000;

/** Milliseconds for others to finish their changes of tags. */
const BUSY = 1_000;

/** Milliseconds until it looks for one that failed. */
const AGAIN = 5_000;

/** Adds matching keys to tags that a former version attached. An organization that fails is passed over for a while. */
export function renewTagKeys({ log }: Pick<JobParts, 'log'>): Job {
  return {
    ...{ name: 'renew-keys', lock: ADVISORY_LOCKS.renewingKeys },
    session: { name: 'tagtrail renewing keys', patience: 60_000 },
    ...{ wokenBy: [], rest: 0, isBrokenOff: true },
    begin: (db) => {
      let orgId = 0;
      let after: number | null = null;
      let isOneFailing = false;
      const aside = new PassedOver();
      const goOn = async () => {
        after ??= await beginRenewing(db, orgId);
        const { last, isBusy } = await renewNext(db, orgId, after);
        after = last;
        if (after === null) {
          log.debug({ orgId }, "Keys of the organization's tags are up to date");
        }
        return isBusy ? BUSY : 0;
      };
      return {
        turn: async () => {
          if (after === null) {
            const next = await nextToRenew(db, orgId);
            orgId = next ?? 0;
            if (next === null) {
              const pause = isOneFailing ? AGAIN : IDLE;
              isOneFailing = false;
              return pause;
            }
            if (aside.isPassedOver(next, performance.now())) {
              isOneFailing = true;
              return 0;
            }
          }
          try {
            const pause = await goOn();
            aside.succeeded(orgId);
            return pause;
          } catch (err) {
            after = null;
            isOneFailing = true;
            aside.failed(orgId, performance.now());
            log.error({ orgId, err }, "Keys of one organization's tags could not be renewed; will retry");
            return 0;
          }
        },
      };
    },
  };
}
