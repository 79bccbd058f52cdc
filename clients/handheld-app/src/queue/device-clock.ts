/** Beyond what an answer may take on its way, and a clock may be off in a day. */
const TOLERANCE_MS = 60_000;

/** What the clocks said at one moment, in milliseconds. */
export interface Reading {
  /** The device's clock less the time the browser has been running: grows when the clock is set on or the device sleeps. */
  ahead: number;
  /** The device's clock less the gateway's: changes only when the clock is set. */
  error: number;
}

/**
 * How much later a scan was made than the device's clock said, by the clock as it is now: it was set since. Browsers on
 * Android, Linux and macOS stop their running time while the device sleeps (w3c/hr-time#115), which looks like a clock
 * that is set on; so the gateway's clock says whether and by how much it was set, and the running time whether the scan
 * was made before that.
 *
 * @param ahead when the scan was made, as in a reading.
 * @param before what the gateway last said before the scan, and `after` it.
 * @returns milliseconds; 0 if the clock was not set, or it cannot be told whether that was after the scan.
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

/** Watches the device's clock for as long as the app is open: a phone gets the time with its network. */
export class DeviceClock {
  readonly #now: () => Date;
  readonly #running: () => number;
  #heard: Reading | null = null;
  #scans: { seq: number; ahead: number }[] = [];
  #corrections = new Map<number, number>();

  /** @param running milliseconds since the page was opened, whatever the clock says. */
  constructor(now: () => Date, running: () => number) {
    this.#now = now;
    this.#running = running;
  }

  /** Whether scans were made since the gateway was heard, and the clock was set since, or the device slept. */
  get isUnsure(): boolean {
    return (
      this.#heard !== null &&
      this.#scans.length > 0 &&
      Math.abs(this.#ahead() - this.#heard.ahead) > TOLERANCE_MS
    );
  }

  /** Scans were made just now. */
  made(scans: readonly { seq: number }[]): void {
    const ahead = this.#ahead();
    this.#scans.push(...scans.map(({ seq }) => ({ seq, ahead })));
  }

  /** The gateway said what time it is. */
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

  /** What to add to the times of scans, in milliseconds, by their numbers; each is told once. */
  takeCorrections(): ReadonlyMap<number, number> {
    const corrections = this.#corrections;
    this.#corrections = new Map();
    return corrections;
  }

  #ahead(): number {
    return this.#now().getTime() - this.#running();
  }
}
