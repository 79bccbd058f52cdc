import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { AlertTurns } from '../../../domain/alerts/deriving/take-turn.ts';
import { MOVES_SEALED } from '../../../domain/moves/sealed-announcement.ts';
import { measureAlerts } from '../metrics/measure-alerts.ts';
import type { Job, JobParts } from './job.ts';

/** Milliseconds between turns: rules also speak of time that passes, and of reads that move nothing. */
const EVERY = 1_000;
const WITHOUT_RULES = 5_000;

export function deriveAlerts({ log, metrics, pool }: JobParts): Job {
  let current: AlertTurns | null = null;
  measureAlerts(metrics, () => current?.firstLooks ?? null, pool);
  return {
    ...{ name: 'derive-alerts', lock: ADVISORY_LOCKS.alerts },
    session: { name: 'tagtrail alerts', patience: 30_000 },
    wokenBy: [MOVES_SEALED],
    rest: 500,
    begin: (db) => {
      const turns = new AlertTurns(db, {
        onSetAside: ({ orgId, error: err }) =>
          log.error(
            { orgId, err },
            'Alerts of the organization cannot be derived; they wait and are tried again, the others go on',
          ),
        onUnknown: (unknown) =>
          log.warn(
            unknown,
            'Alerts for one asset or reader skipped: too much is known of it; will retry in an hour',
          ),
        onMended: (orgId) => log.info({ orgId }, 'Alerts of the organization are derived again'),
      });
      current = turns;
      return {
        turn: async () => {
          switch (await turns.take()) {
            case 'behind':
              return 0;
            case 'nothing_to_do':
              return WITHOUT_RULES;
            default:
              return EVERY;
          }
        },
        end: async () => {
          current = null;
        },
      };
    },
  };
}
