import type { ListedAsset } from '../gateway/answers.ts';
import type { Database } from '../storage/database.ts';
import { findKnown } from '../storage/known.ts';
import { isUndone, type StoredScan } from '../storage/scan.ts';
import { type SweepOutcome, sweepOutcome } from './outcome.ts';
import type { Sweep } from './sweep.ts';
import { whereaboutsOf } from './whereabouts.ts';

/** What a sweep has come to by what the device has stored; `expected` is null where nobody knows. */
export async function countSweep(
  database: Database,
  sweep: Sweep,
): Promise<{ expected: readonly ListedAsset[] | null; outcome: SweepOutcome }> {
  const scans = (await database.getAllFromIndex('scans', 'sweep', sweep.id)).filter(
    (scan) => !isUndone(scan),
  );
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
  return { expected, outcome };
}

/**
 * What should be at the place of a sweep; null if unknown. What the sweep itself moved there was elsewhere before, but
 * a newer list may contain it.
 */
function expectedHere(
  { expected, list }: Pick<Sweep, 'expected' | 'list'>,
  scans: readonly StoredScan[],
): readonly ListedAsset[] | null {
  if (expected === null || (list !== 'later' && list !== 'during')) {
    return expected;
  }
  const moved = new Set(
    scans.flatMap(({ result }) => (result?.status === 'moved' ? [result.asset?.id] : [])),
  );
  return expected.filter(({ id }) => !moved.has(id));
}
