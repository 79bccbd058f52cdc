/** Seconds of milliseconds, rounded to these: of whole ones exactly, of means and interpolated percentiles the nearest. */
export function seconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1_000;
}

export function secondsOrNull(milliseconds: number | null): number | null {
  return milliseconds === null ? null : seconds(milliseconds);
}
