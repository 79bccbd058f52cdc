/** Wakes a sleeper. A wake-up while nobody sleeps makes the next sleep return at once. */
export class Alarm {
  #isRinging = false;
  #wake: (() => void) | null = null;

  ring(): void {
    this.#isRinging = true;
    this.#wake?.();
  }

  /** @param milliseconds at most; returns at once if negative, as for a time that has passed. */
  async sleep(milliseconds: number): Promise<void> {
    if (!this.#isRinging) {
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      const timer = setTimeout(woken.resolve, Math.max(0, milliseconds));
      await woken.promise;
      clearTimeout(timer);
      this.#wake = null;
    }
    this.#isRinging = false;
  }
}
