export interface OpenBounds {
  total: number;
  perKey: number;
  /** Places of the total for keys that have none open: a few with several leave the others some. */
  reserved?: number;
}

/** How many answers are being streamed, in all and to each: what an open one holds is bounded by that. */
export class OpenStreams<Key> {
  readonly #bounds: OpenBounds;
  readonly #refusal: () => Error;
  readonly #byKey = new Map<Key, number>();
  #count = 0;

  constructor(bounds: OpenBounds, refusal: () => Error) {
    this.#bounds = bounds;
    this.#refusal = refusal;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Counts one at once, so that of many that come together no more are let in than may be.
   *
   * @returns a function that ends it; a second call does nothing.
   * @throws the refusal if there are as many as may be.
   */
  enter(key: Key): () => void {
    const ofKey = this.#byKey.get(key) ?? 0;
    const { total, perKey, reserved = 0 } = this.#bounds;
    const mostNow = ofKey === 0 ? total : total - reserved;
    if (this.#count >= mostNow || ofKey >= perKey) {
      throw this.#refusal();
    }
    this.#count += 1;
    this.#byKey.set(key, ofKey + 1);
    let isOpen = true;
    return () => {
      if (isOpen) {
        isOpen = false;
        this.#leave(key);
      }
    };
  }

  #leave(key: Key): void {
    this.#count -= 1;
    const left = (this.#byKey.get(key) ?? 1) - 1;
    if (left === 0) {
      this.#byKey.delete(key);
    } else {
      this.#byKey.set(key, left);
    }
  }
}

/** Enters several, or none. @returns a function that leaves them all. */
export function enterAll(...enters: readonly (() => () => void)[]): () => void {
  const leaves: (() => void)[] = [];
  const leaveAll = () => {
    for (const leave of leaves) {
      leave();
    }
  };
  try {
    for (const enter of enters) {
      leaves.push(enter());
    }
  } catch (error) {
    leaveAll();
    throw error;
  }
  return leaveAll;
}
