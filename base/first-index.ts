/**
 * Binary search: the first index from `low` to `high` for which `isSo` holds, given that it holds for all
 * later ones; `high` if none.
 */
export function firstIndex(low: number, high: number, isSo: (index: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isSo(middle)) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}
