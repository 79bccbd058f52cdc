import { leastOf } from '../../base/extremes.ts';
import { firstIndex } from '../../base/first-index.ts';
import type { Micros } from '../../base/instant.ts';

/** How long a reader may say nothing; as of `from`. Null where that is not known: it is never silent then. */
export interface DatedExpectation {
  from: Micros;
  expected: Micros | null;
}

/** A row of `reader_expectations`. */
export interface StoredExpectation extends DatedExpectation {
  origin: 'set' | 'learned';
}

/** Seconds. The least is the gap within a stretch of messages: shorter silences are not kept. */
export const EXPECTED = { least: 15, most: 86_400 };

/** The expectation at each time, in order: the set one, else the learned one. */
export function inForce(stored: readonly StoredExpectation[]): DatedExpectation[] {
  const sorted = stored.toSorted((a, b) => a.from - b.from);
  let set: Micros | null = null;
  let learned: Micros | null = null;
  const result: DatedExpectation[] = [{ from: Number.NEGATIVE_INFINITY, expected: null }];
  for (const { origin, from, expected } of sorted) {
    if (origin === 'set') {
      set = expected;
    } else {
      learned = expected;
    }
    result.push({ from, expected: set ?? learned });
  }
  return result;
}

/** The least known expectation at an instant or later; null if there is none. */
export function leastExpectedFrom(dated: readonly DatedExpectation[], at: Micros): Micros | null {
  const later = dated.filter(({ from }) => from > at).map(({ expected }) => expected);
  const all = [expectedAt(dated, at), ...later].filter((expected) => expected !== null);
  return all.length === 0 ? null : leastOf(all);
}

/** @param dated as {@link inForce} returns them. */
export function expectedAt(dated: readonly DatedExpectation[], at: Micros): Micros | null {
  const next = firstIndex(0, dated.length, (index) => (dated[index] as DatedExpectation).from > at);
  return dated[next - 1]?.expected ?? null;
}
