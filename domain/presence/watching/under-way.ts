import type { Micros } from '../../../base/instant.ts';

/** A stretch of time in which messages were received, and how many of them are not committed yet. */
export interface Turn {
  since: Micros;
  left: number;
}

/** Up to when every message that was received is committed. Costs a message two additions, and no object. */
export class UnderWay {
  #turns: Turn[] = [];
  #current: Turn = { since: 0, left: 0 };

  /** @returns what {@link leave} is to be given, once, when the message is done with. */
  enter(): Turn {
    this.#current.left += 1;
    return this.#current;
  }

  leave(turn: Turn): void {
    turn.left -= 1;
  }

  /** Begins a new stretch. */
  settledUpTo(now: Micros): Micros {
    this.#turns = [...this.#turns, this.#current].filter(({ left }) => left > 0);
    this.#current = { since: now, left: 0 };
    return this.#turns[0]?.since ?? now;
  }
}
