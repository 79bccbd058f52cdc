import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Paces delivery, so that whatever else the process does comes in between: one step at a time, such as sending an event, then
 * a round of the event loop. Organizations take turns, whatever the number of their webhooks. Without it the lanes of one
 * organization went on all at once in each round, and somebody else's message, which takes several rounds to be
 * acknowledged, waited for all of them each time.
 */
export class Pace {
  /** Steps that wait, by organization in the order of their turns. */
  readonly #waiting = new Map<number, (() => void)[]>();
  #isRunning = false;

  /** Resolves when the organization may take a step. */
  step(orgId: number): Promise<void> {
    return new Promise((resolve) => {
      const ofOrganization = this.#waiting.get(orgId) ?? [];
      ofOrganization.push(resolve);
      this.#waiting.set(orgId, ofOrganization);
      if (!this.#isRunning) {
        void this.#run();
      }
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      this.#takeStep();
      await nextTurn();
    }
    this.#isRunning = false;
  }

  #takeStep(): void {
    for (const [orgId, steps] of this.#waiting) {
      this.#waiting.delete(orgId);
      steps.shift()?.();
      if (steps.length > 0) {
        this.#waiting.set(orgId, steps);
      }
      return;
    }
  }
}
