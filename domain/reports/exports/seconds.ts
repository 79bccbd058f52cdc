/** From milliseconds, of which means and percentiles have fractions. */
export function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds) / 1_000;
}
