import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds after which no further step begins in a round. */
const ROUND = 1;

/**
 * Paces delivery, so that whatever else the process does comes in between: steps, such as sending an event, for a millisecond,
 * then a round of the event loop. Organizations take turns, whatever the number of their webhooks. Without it the lanes of one
 * organization went on all at once in each round, and somebody else's message, which takes several rounds to be
 * acknowledged, waited for all of them each time. With one step a round an event took a third more processor time, since fewer
 * answers were recorded together.
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
      const until = performance.now() + ROUND;
      do {
        this.#takeStep();
        // Comes after everything that the step does at once.
        await new Promise<void>((resolve) => process.nextTick(resolve));
      } while (this.#waiting.size > 0 && performance.now() < until);
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
