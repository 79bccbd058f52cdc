import { Gauge, type Registry } from 'prom-client';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { COUNTED, readAlertFigures } from '../../../domain/alerts/deriving/figures.ts';
import { AlertTurns } from '../../../domain/alerts/deriving/take-turn.ts';
import { MOVES_SEALED } from '../../../domain/moves/sealing/announcements.ts';
import { freshener, measureFigure } from '../../../platform/runtime/figures.ts';
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
            'Alerts of the organization cannot be derived; will retry; other organizations are not affected',
          ),
        onUnknown: (unknown) =>
          log.warn(
            unknown,
            'Alerts for one asset or reader skipped: too much history; will retry in an hour',
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

/** Organizations, and rules, with series of their own. */
const MOST_SHOWN = 100;

/**
 * Exports whether this process derives alerts, and what the database says of all of them at every scrape.
 *
 * @param firstLooks organizations not yet looked at completely; null where another process derives.
 */
export function measureAlerts(registry: Registry, firstLooks: () => number | null, db: Connection): void {
  measureDeriving(registry, firstLooks);
  measureStored(registry, db);
}

function measureDeriving(registry: Registry, firstLooks: () => number | null): void {
  measureFigure(
    registry,
    'tagtrail_alerts_deriving',
    '1 if this process derives alerts; one process does at a time.',
    () => Number(firstLooks() !== null),
  );
  measureFigure(
    registry,
    'tagtrail_alerts_first_looks',
    'Organizations of which this process has not looked at all assets yet since it derives alerts.',
    () => firstLooks() ?? 0,
  );
}

function measureStored(registry: Registry, db: Connection): void {
  const registers = [registry];
  const isFresh = freshener(async () => {
    const figures = await readAlertFigures(db, MOST_SHOWN);
    open.set({ state: 'open' }, figures.open);
    open.set({ state: 'acknowledged' }, figures.acknowledged);
    lag.set(figures.lag);
    setAside.reset();
    for (const org of figures.setAside) {
      setAside.set({ org }, 1);
    }
    leftOut.reset();
    for (const { org, count } of figures.leftOut) {
      leftOut.set({ org }, count);
    }
    heldBack.reset();
    for (const { org, rule } of figures.heldBack) {
      heldBack.set({ org, rule }, 1);
    }
  });
  // `tagtrail_check_up` reports a database that does not answer.
  const collect = async () => {
    await isFresh();
  };
  const open = new Gauge({
    name: 'tagtrail_alerts_open',
    help: `Alerts that are not over, ${COUNTED} if more, by state: open, acknowledged.`,
    labelNames: ['state'] as const,
    registers,
    collect,
  });
  const lag = new Gauge({
    name: 'tagtrail_alerts_lag_seconds',
    help: 'Seconds since a process had nothing left to derive, one or two if all is well; 0 if there are no rules.',
    registers,
    collect,
  });
  const setAside = new Gauge({
    name: 'tagtrail_alerts_set_aside',
    help: `1 for each organization whose alerts cannot be derived, or are not derived up to now again; at most ${MOST_SHOWN}.`,
    labelNames: ['org'] as const,
    registers,
    collect,
  });
  const leftOut = new Gauge({
    name: 'tagtrail_alerts_left_out',
    help: `Assets and readers whose alerts are not derived, as there is too much evidence of them; at most ${MOST_SHOWN} organizations, and 100 of each.`,
    labelNames: ['org'] as const,
    registers,
    collect,
  });
  const heldBack = new Gauge({
    name: 'tagtrail_alerts_held_back',
    help: `1 for each rule of which alerts wait, as too many were raised within an hour; at most ${MOST_SHOWN}.`,
    labelNames: ['org', 'rule'] as const,
    registers,
    collect,
  });
}
