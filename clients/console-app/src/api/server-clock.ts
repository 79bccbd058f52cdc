/** Milliseconds by which the server's clock is ahead of this device's. */
let ahead = 0;

/** @param date of an answer, to the second. */
export function noteServerTime(date: string | null): void {
  const at = Date.parse(date ?? '');
  if (Number.isFinite(at)) {
    ahead = at - Date.now();
  }
}

/** The last whole minute by the server's clock: what it is asked about must not be later than now. */
export function lastMinute(): number {
  return Math.floor((Date.now() + ahead) / 60_000) * 60_000;
}
