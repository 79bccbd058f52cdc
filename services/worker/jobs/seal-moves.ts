import { Counter, Gauge, type Registry } from 'prom-client';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { NOTHING_SEALED, Sealer, type SealingFigures } from '../../../domain/moves/sealing/sealer.ts';
import { SEALING } from '../../../domain/moves/sealing/sealing-session.ts';
import { MOVES_WRITTEN } from '../../../domain/moves/sealing/written-announcement.ts';
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
  const registers = [registry];
  const gauge = (name: string, help: string, figure: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(figure());
      },
    });
  gauge(
    'tagtrail_moves_sealing',
    '1 if this process seals the move feed (gives events their positions); one process does at a time.',
    () => Number(figures.isSealing),
  );
  gauge(
    'tagtrail_moves_unsealed',
    'Events of the move feed that wait for their positions beyond the next batch, 100000 if more.',
    () => figures.unsealed,
  );
  gauge(
    'tagtrail_moves_seal_lag_seconds',
    'Age of the oldest event in the latest batch that got its position, 0 if there was none.',
    () => figures.lag,
  );
  new Gauge({
    name: 'tagtrail_moves_set_aside',
    help: `1 for each organization whose events wait because one cannot be sealed; at most ${MOST_SHOWN}.`,
    labelNames: ['org'] as const,
    registers,
    collect() {
      this.reset();
      for (const org of figures.setAside.slice(0, MOST_SHOWN)) {
        this.set({ org }, 1);
      }
    },
  });
  new Counter({
    name: 'tagtrail_moves_sealed_total',
    help: 'Events of the move feed that this process sealed.',
    registers,
    collect() {
      this.reset();
      this.inc(figures.sealed);
    },
  });
}

/** Organizations with series of their own. */
const MOST_SHOWN = 100;
