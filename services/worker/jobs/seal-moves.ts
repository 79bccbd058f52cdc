import type { Registry } from 'prom-client';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { NOTHING_SEALED, Sealer, type SealingFigures } from '../../../domain/moves/sealing/sealer.ts';
import { SEALING } from '../../../domain/moves/sealing/sealing-session.ts';
import { MOVES_WRITTEN } from '../../../domain/moves/sealing/written-announcement.ts';
import { measureEach, measureFigures } from '../../../platform/runtime/figures.ts';
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

function measureSealing(
  registry: Registry,
  figures: Readonly<SealingFigures & { isSealing: boolean }>,
): void {
  measureFigures(registry, () => figures, {
    gauges: [
      [
        'tagtrail_moves_sealing',
        '1 if this process seals the move feed (gives events their positions); one process does at a time.',
        'isSealing',
      ],
      [
        'tagtrail_moves_unsealed',
        'Events of the move feed that wait for their positions beyond the next batch, 100000 if more.',
        'unsealed',
      ],
      [
        'tagtrail_moves_seal_lag_seconds',
        'Age of the oldest event in the latest batch that got its position, 0 if there was none.',
        'lag',
      ],
    ],
    counters: [
      ['tagtrail_moves_sealed_total', 'Events of the move feed that this process sealed.', 'sealed'],
    ],
  });
  const help = `1 for each organization whose events wait because one cannot be sealed; at most ${MOST_SHOWN}.`;
  measureEach(registry, ['tagtrail_moves_set_aside', help, 'org'], () =>
    figures.setAside.slice(0, MOST_SHOWN).map((org) => [String(org), 1]),
  );
}

/** Organizations with series of their own. */
const MOST_SHOWN = 100;
