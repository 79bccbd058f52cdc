/** The least of any number of numbers, which need not fit the stack as arguments do; infinity if empty. */
export function leastOf(numbers: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const number of numbers) {
    least = Math.min(least, number);
  }
  return least;
}

/** As {@link leastOf}, the greatest; minus infinity if there is none. */
export function greatestOf(numbers: Iterable<number>): number {
  let greatest = Number.NEGATIVE_INFINITY;
  for (const number of numbers) {
    greatest = Math.max(greatest, number);
  }
  return greatest;
}
