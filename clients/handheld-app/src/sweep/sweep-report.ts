import type { SweepReport } from '../gateway/answers.ts';
import type { Database } from '../storage/database.ts';
import { countSweep } from './count-sweep.ts';
import type { Sweep } from './sweep.ts';

/** What a sweep came to, as it is shown; no sweep is of the places below. */
export async function reportOf(
  database: Database,
  sweep: Sweep,
): Promise<Omit<SweepReport, 'began_at' | 'ended_at'>> {
  const { expected, outcome } = await countSweep(database, sweep);
  return {
    location: { id: sweep.place.id },
    include_descendants: false,
    expected: (expected ?? []).map(({ id }) => id),
    found: outcome.found.map(({ asset }) => asset.id),
    moved_here: outcome.movedHere.map(({ asset }) => asset.id),
    missing: outcome.missing.map(({ id }) => id),
    unknown: [...new Set(outcome.unknown.map(({ value }) => value))],
  };
}
