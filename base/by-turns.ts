/** The first of each group, then the second of each, and so on. Groups keep their order. */
export function byTurns<Each>(all: readonly Each[], groupOf: (each: Each) => unknown): Each[] {
  const counts = new Map<unknown, number>();
  const ranked = all.map((each) => {
    const rank = counts.get(groupOf(each)) ?? 0;
    counts.set(groupOf(each), rank + 1);
    return { each, rank };
  });
  return ranked.sort((one, other) => one.rank - other.rank).map(({ each }) => each);
}

/** In ascending order, starting after the last one and wrapping around. */
export function inTurn(ids: readonly number[], last: number): number[] {
  const sorted = ids.toSorted((a, b) => a - b);
  return [...sorted.filter((id) => id > last), ...sorted.filter((id) => id <= last)];
}
