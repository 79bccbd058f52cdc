import type { Micros } from '../../../base/instant.ts';

/** A stretch of time in which messages were received, and how many of them are not committed yet. */
interface Turn {
  since: Micros;
  left: number;
}

/** Up to when every message that was received is committed. Costs a message two additions. */
export class UnderWay {
  #turns: Turn[] = [];
  #current: Turn = { since: 0, left: 0 };

  /** @returns to be called when the message is done with. */
  enter(): () => void {
    const turn = this.#current;
    turn.left += 1;
    return () => {
      turn.left -= 1;
    };
  }

  /** Begins a new stretch. */
  settledUpTo(now: Micros): Micros {
    this.#turns = [...this.#turns, this.#current].filter(({ left }) => left > 0);
    this.#current = { since: now, left: 0 };
    return this.#turns[0]?.since ?? now;
  }
}
