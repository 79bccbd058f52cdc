import type { ListedAsset } from '../gateway/answers.ts';
import type { StoredScan } from '../storage/scan.ts';
import type { Sweep } from './sweep.ts';

/**
 * What should be at the place of a sweep; null if unknown. What the sweep itself moved there was elsewhere before, but
 * a newer list may contain it.
 */
export function expectedHere(
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
