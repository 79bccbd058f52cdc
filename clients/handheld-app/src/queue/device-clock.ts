/** More than the time an answer takes, plus a day's drift. */
const TOLERANCE_MS = 60_000;

/** Clock readings of one moment, in milliseconds. */
export interface Reading {
  /** Device clock minus the browser's running time: grows when the clock is set forward or the device sleeps. */
  ahead: number;
  /** Device clock minus gateway clock: changes only when the clock is set. */
  error: number;
}

/**
 * How much later a scan was made than the device's clock said, measured by the clock as it is now. Browsers on Android,
 * Linux and macOS stop their running time while the device sleeps (w3c/hr-time#115), which looks like a clock set
 * forward; so the gateway's clock tells whether and by how much it was set, and the running time whether the scan was
 * made before that.
 *
 * @param ahead reading when the scan was made.
 * @param before the last reading before the scan, `after` the first after it.
 * @returns milliseconds; 0 if the clock was not set, or it is unknown whether that was after the scan.
 */
export function setSince(ahead: number, before: Reading, after: Reading): number {
  const set = after.error - before.error;
  if (Math.abs(set) < TOLERANCE_MS || after.ahead - before.ahead < set - TOLERANCE_MS) {
    return 0;
  }
  // Sleep only adds: had the clock been set on before the scan, it would have been at least so far ahead then; and only
  // a clock that was set back after the scan is less ahead than it was.
  const isBefore = set > 0 ? ahead - before.ahead < set - TOLERANCE_MS : after.ahead - ahead < -TOLERANCE_MS;
  return isBefore ? set : 0;
}

/** Tracks the device's clock while the app is open: phones set theirs by the network. */
export class DeviceClock {
  readonly #now: () => Date;
  readonly #running: () => number;
  #heard: Reading | null = null;
  #scans: { seq: number; ahead: number }[] = [];
  #corrections = new Map<number, number>();

  /** @param running milliseconds since the page was opened, independent of the clock. */
  constructor(now: () => Date, running: () => number) {
    this.#now = now;
    this.#running = running;
  }

  /** Whether scans were made since the gateway's last answer, and the clock was set, or the device slept, since. */
  get isUnsure(): boolean {
    return (
      this.#heard !== null &&
      this.#scans.length > 0 &&
      Math.abs(this.#ahead() - this.#heard.ahead) > TOLERANCE_MS
    );
  }

  /** Call after scanning. */
  made(scans: readonly { seq: number }[]): void {
    const ahead = this.#ahead();
    this.#scans.push(...scans.map(({ seq }) => ({ seq, ahead })));
  }

  /** Call with the gateway's time. */
  heard(gatewayTime: Date): void {
    const after = { ahead: this.#ahead(), error: this.#now().getTime() - gatewayTime.getTime() };
    if (this.#heard !== null) {
      for (const { seq, ahead } of this.#scans) {
        const set = setSince(ahead, this.#heard, after);
        if (set !== 0) {
          this.#corrections.set(seq, set);
        }
      }
    }
    this.#scans = [];
    this.#heard = after;
  }

  /** Milliseconds to add to the times of scans, by number; each is returned once. */
  takeCorrections(): ReadonlyMap<number, number> {
    const corrections = this.#corrections;
    this.#corrections = new Map();
    return corrections;
  }

  #ahead(): number {
    return this.#now().getTime() - this.#running();
  }
}
