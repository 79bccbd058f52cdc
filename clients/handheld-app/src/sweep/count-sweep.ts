import type { Database } from '../storage/database.ts';
import { findKnown } from '../storage/known.ts';
import { expectedHere } from './expected-here.ts';
import { type SweepOutcome, sweepOutcome } from './outcome.ts';
import type { Sweep } from './sweep.ts';
import { whereaboutsOf } from './whereabouts.ts';

/** What a sweep has come to by what the device has stored; without a count where nobody knows what to expect. */
export async function countSweep(
  database: Database,
  sweep: Sweep,
): Promise<{ expectedCount: number | null; outcome: SweepOutcome }> {
  const scans = await database.getAllFromIndex('scans', 'sweep', sweep.id);
  const unanswered = scans.filter(({ result }) => result === null);
  const known = new Map(
    (await findKnown(database, unanswered)).map((asset, index) => [unanswered[index], asset]),
  );
  const expected = expectedHere(sweep, scans);
  const whereabouts = await whereaboutsOf(database, sweep.id);
  const outcome = sweepOutcome(
    { place: sweep.place, expected: expected ?? [], whereabouts },
    scans,
    (scan) => known.get(scan) ?? null,
  );
  return { expectedCount: expected?.length ?? null, outcome };
}
