import type { Registry } from 'prom-client';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { CHANGES_WRITTEN, MOVES_WRITTEN } from '../../../domain/moves/sealing/announcements.ts';
import { CHANGES, MOVES, type Queue } from '../../../domain/moves/sealing/queues.ts';
import { NOTHING_SEALED, Sealer, type SealingFigures } from '../../../domain/moves/sealing/sealer.ts';
import { SEALING } from '../../../domain/moves/sealing/sealing-session.ts';
import { measureEach, measureFigures } from '../../../platform/runtime/figures.ts';
import type { Job, JobParts } from './job.ts';

/** Milliseconds for which changes of assets and locations are sealed before moves have their turn again. */
const CHANGES_AT_ONCE = 100;

/** Gives the events of both feeds their positions. */
export function sealMoves({ log, metrics }: Pick<JobParts, 'log' | 'metrics'>): Job {
  const figures = { moves: { ...NOTHING_SEALED }, changes: { ...NOTHING_SEALED }, isSealing: false };
  measureSealing(metrics, figures);
  return {
    ...{ name: 'seal-moves', lock: ADVISORY_LOCKS.sealing, session: SEALING },
    wokenBy: [MOVES_WRITTEN, CHANGES_WRITTEN],
    // Under load, batches become larger rather than more frequent.
    rest: 25,
    begin: (db) => {
      figures.isSealing = true;
      const sealerOf = (queue: Queue) =>
        new Sealer(
          figures[queue.name],
          {
            onSetAside: ({ orgId, moveId, error: err }) =>
              log.error(
                { orgId, moveId, feed: queue.name, err },
                "Event cannot be sealed; its organization's events wait and are retried, other organizations are not affected",
              ),
            onMended: (orgId) =>
              log.info({ orgId, feed: queue.name }, 'Events of the organization are sealed again'),
          },
          queue,
        );
      const [moves, changes] = [sealerOf(MOVES), sealerOf(CHANGES)];
      return {
        hear: (payload, channel) => (channel === CHANGES_WRITTEN ? changes : moves).hear(payload),
        turn: async () => Math.min(await moves.turn(db), await changes.turn(db, CHANGES_AT_ONCE)),
        end: async () => {
          figures.isSealing = false;
          for (const each of [figures.moves, figures.changes]) {
            Object.assign(each, { ...NOTHING_SEALED, sealed: each.sealed });
          }
        },
      };
    },
  };
}

type Figures = Readonly<Record<Queue['name'], SealingFigures> & { isSealing: boolean }>;

function bothOf({ moves, changes, isSealing }: Figures) {
  return {
    isSealing,
    unsealed: moves.unsealed + changes.unsealed,
    lag: Math.max(moves.lag, changes.lag),
    sealed: moves.sealed + changes.sealed,
    setAside: [...new Set([...moves.setAside, ...changes.setAside])],
  };
}

function measureSealing(registry: Registry, figures: Figures): void {
  measureFigures(registry, () => bothOf(figures), {
    gauges: [
      [
        'tagtrail_moves_sealing',
        '1 if this process seals the feeds (gives events their positions); one process does at a time.',
        'isSealing',
      ],
      [
        'tagtrail_moves_unsealed',
        'Events of the feeds that wait for their positions beyond the next batch, 100000 if more.',
        'unsealed',
      ],
      [
        'tagtrail_moves_seal_lag_seconds',
        'Age of the oldest event in the latest batch that got its position, 0 if there was none.',
        'lag',
      ],
    ],
    counters: [['tagtrail_moves_sealed_total', 'Events of the feeds that this process sealed.', 'sealed']],
  });
  const help = `1 for each organization whose events wait because one cannot be sealed; at most ${MOST_SHOWN}.`;
  measureEach(registry, ['tagtrail_moves_set_aside', help, 'org'], () =>
    bothOf(figures)
      .setAside.slice(0, MOST_SHOWN)
      .map((org) => [String(org), 1]),
  );
}

/** Organizations with series of their own. */
const MOST_SHOWN = 100;
