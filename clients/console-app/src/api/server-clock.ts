/** Milliseconds by which the server's clock is ahead of this device's. */
let ahead = 0;

/** @param date of an answer, to the second. */
export function noteServerTime(date: string | null): void {
  const at = Date.parse(date ?? '');
  if (Number.isFinite(at)) {
    ahead = at - Date.now();
  }
}

/** Below that it may be rounding: the server's time comes to the second. */
const ROUNDING = 2_000;

/** For ages of times from the server: this device's clock may be wrong. */
export function serverNow(): number {
  return Date.now() + (Math.abs(ahead) < ROUNDING ? 0 : ahead);
}

/** The last whole second by the server's clock: requests must not ask about the future. */
export function lastSecond(): number {
  return Math.floor((Date.now() + ahead) / 1_000) * 1_000;
}
