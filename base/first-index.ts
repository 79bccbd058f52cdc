/** The first of the indexes from `low` up to `high` that is so, where all after it are too; `high` if none before is. */
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
