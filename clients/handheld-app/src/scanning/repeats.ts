const QUIET_MS = 2_500;

/** Tells a code that stays in the camera's view from one shown again. */
export class Repeats {
  readonly #lastSeen = new Map<string, number>();

  /**
   * @param at milliseconds.
   * @returns whether the code had been out of sight.
   */
  isNew(value: string, at: number): boolean {
    const last = this.#lastSeen.get(value);
    this.#lastSeen.set(value, at);
    return last === undefined || at - last > QUIET_MS;
  }
}
