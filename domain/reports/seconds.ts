/** Seconds of milliseconds, rounded to these: means and interpolated percentiles have fractions of them. */
export function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds) / 1_000;
}
