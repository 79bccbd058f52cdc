import { ADVISORY_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import { whileElected } from '../../db/timescale/connections/elected.ts';
import { CHANGES, MOVES } from '../../domain/moves/sealing/queues.ts';
import { NOTHING_SEALED, Sealer } from '../../domain/moves/sealing/sealer.ts';
import { SEALING } from '../../domain/moves/sealing/sealing-session.ts';

/**
 * Seals everything that is committed now, once no other process seals.
 *
 * @returns how many events it sealed.
 */
export async function sealAll(url: string): Promise<number> {
  const figures = { ...NOTHING_SEALED };
  await whileElected(url, ADVISORY_LOCKS.sealing, { ...SEALING, every: 100 }, async ({ pool }) => {
    for (const queue of [MOVES, CHANGES]) {
      const sealer = new Sealer(figures, {}, queue);
      while ((await sealer.turn(pool)) === 0);
    }
  });
  return figures.sealed;
}
