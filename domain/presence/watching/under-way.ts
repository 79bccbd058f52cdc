import type { Micros } from '../../../base/instant.ts';

/** A stretch of time in which messages were received, and how many of them are not committed yet. */
export class Turn {
  readonly since: Micros;
  left = 0;
  readonly #ofReaders = new Map<number, number>();

  constructor(since: Micros) {
    this.since = since;
  }

  /** @param reader of a message that is among those left. */
  name(reader: number): void {
    this.#ofReaders.set(reader, (this.#ofReaders.get(reader) ?? 0) + 1);
  }

  /** @param reader if it was named. */
  leave(reader?: number): void {
    this.left -= 1;
    const left = reader === undefined ? undefined : (this.#ofReaders.get(reader) ?? 0) - 1;
    if (reader !== undefined && left === 0) {
      this.#ofReaders.delete(reader);
    } else if (reader !== undefined && left !== undefined) {
      this.#ofReaders.set(reader, left);
    }
  }

  isSettledBut(isExempt: (reader: number) => boolean): boolean {
    let exempt = 0;
    for (const [reader, count] of this.#ofReaders) {
      exempt += isExempt(reader) ? count : 0;
    }
    return exempt === this.left;
  }
}

/** Up to when every message that was received is committed. Costs a message a few additions, and no object. */
export class UnderWay {
  #turns: Turn[] = [];
  #current = new Turn(0);

  /** @returns the turn that the message is to leave, once, when it is done with. */
  enter(): Turn {
    this.#current.left += 1;
    return this.#current;
  }

  /**
   * Begins a new stretch.
   *
   * @param isExempt whether a reader's messages are left out: they wait for a lock of another session, and the watch over
   * all other readers would wait with them.
   */
  settledUpTo(now: Micros, isExempt: (reader: number) => boolean): Micros {
    this.#turns = [...this.#turns, this.#current].filter(({ left }) => left > 0);
    this.#current = new Turn(now);
    return this.#turns.find((turn) => !turn.isSettledBut(isExempt))?.since ?? now;
  }
}
