import type { ServerAnswer } from './ask-server.ts';
import { isSame, type Known } from './choose-primary.ts';

type Used = Pick<ServerAnswer, 'system' | 'timeline' | 'standing'>;

/**
 * The primary of each database cluster that this process has used, and the newest timeline it knows. A connection is
 * closed if its server is on an older timeline, was read-only and no longer is, or is one of two that take changes.
 */
export class KnownPrimaries {
  readonly #known = new Map<string, Known>();
  readonly #used = new Map<Used, (reason: string) => void>();

  of(system: string): Known | undefined {
    return this.#known.get(system);
  }

  /** True if this server can be used without asking others: it is the known primary, or was promoted since. */
  isEnough(answer: ServerAnswer): boolean {
    const known = this.#known.get(answer.system);
    return (
      answer.standing === 'primary' &&
      known !== undefined &&
      (answer.timeline > known.timeline || known.startedAt === null || isSame(answer, known))
    );
  }

  /** @param chosen of the answers, if there is one. */
  note(answers: readonly ServerAnswer[], chosen: ServerAnswer | null): void {
    for (const { system, timeline } of answers) {
      if (timeline > (this.#known.get(system)?.timeline ?? timeline)) {
        this.#known.set(system, { system, timeline, startedAt: null });
      }
    }
    if (chosen !== null && chosen.timeline >= (this.#known.get(chosen.system)?.timeline ?? 0)) {
      this.#known.set(chosen.system, chosen);
    }
    for (const [used, leave] of this.#used) {
      if (this.#isOutdated(used)) {
        leave(PROMOTED);
      } else if (used.standing === 'read-only' && isWritable(chosen, used)) {
        leave('it was read-only, and a server takes changes again');
      }
    }
  }

  /** @returns a function that ends it. */
  hold(used: Used, leave: (reason: string) => void): () => void {
    const held = { ...used };
    this.#used.set(held, leave);
    if (this.#isOutdated(held)) {
      leave(PROMOTED);
    }
    return () => this.#used.delete(held);
  }

  #isOutdated({ system, timeline }: Used): boolean {
    return timeline < (this.#known.get(system)?.timeline ?? 0);
  }
}

const PROMOTED = 'a standby was promoted in its place';

function isWritable(chosen: ServerAnswer | null, { system }: Used): boolean {
  return chosen?.standing === 'primary' && chosen.system === system;
}

/** One for the process: connections are opened in many places and must agree. */
export const KNOWN_PRIMARIES = new KnownPrimaries();
