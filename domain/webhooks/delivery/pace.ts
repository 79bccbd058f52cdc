import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** Steps after which others have the event loop to themselves, and for how many milliseconds. */
const STEPS = 3;
const REST = 1;

/**
 * Paces delivery, so that the process can do other work in between: one step at a time, such as sending an event,
 * then a round of the event loop, and a rest after a few. Organizations take turns, whatever the number of their
 * webhooks.
 *
 * With all lanes of an organization in each round, somebody else's request, which takes several rounds, waited for
 * all of them each time. Without rests one caller's look-ups were answered more slowly than they came.
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
      for (let taken = 0; taken < STEPS; taken++) {
        this.#takeStep();
        await nextTurn();
      }
      await pause(REST);
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
