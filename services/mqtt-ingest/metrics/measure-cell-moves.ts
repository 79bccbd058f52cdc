import { Gauge, type Registry } from 'prom-client';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { findStalledMoves } from '../../../domain/health/stalled-moves.ts';
import { freshener } from '../../../platform/runtime/freshener.ts';

/** Organizations with series of their own. */
const MOST_SHOWN = 100;

/** Exports which moves between cells nobody is at, as `doctor` tells: the database's figures, the same from every process. */
export function measureCellMoves(registry: Registry, db: Connection): void {
  const registers = [registry];
  const isFresh = freshener(async () => {
    const moves = await findStalledMoves(db, MOST_SHOWN);
    stalled.reset();
    kept.reset();
    for (const { org_id: org, state, log } of moves) {
      stalled.set({ org, state }, 1);
      if (log !== null) {
        kept.set({ org }, log);
      }
    }
  });
  // `tagtrail_check_up` reports a database that does not answer.
  const collect = async () => {
    await isFresh();
  };
  const stalled = new Gauge({
    name: 'tagtrail_cell_moves_stalled',
    help: `1 for each organization whose move between cells has stopped on its way, by state: copying, following, held, moved, arriving; at most ${MOST_SHOWN}.`,
    labelNames: ['org', 'state'] as const,
    registers,
    collect,
  });
  const kept = new Gauge({
    name: 'tagtrail_cell_moves_kept_log_bytes',
    help: `Log that the database server keeps for a move that has stopped on its way; at most ${MOST_SHOWN}.`,
    labelNames: ['org'] as const,
    registers,
    collect,
  });
}
