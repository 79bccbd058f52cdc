/** Bounds how many answers are being streamed to each key. Where keys share places, a `FairSemaphore` does. */
export class OpenStreams<Key> {
  readonly #most: number;
  readonly #refusal: () => Error;
  readonly #byKey = new Map<Key, number>();
  #count = 0;

  /** @param most of a key. */
  constructor(most: number, refusal: () => Error) {
    this.#most = most;
    this.#refusal = refusal;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Counts an entry at once, so that simultaneous ones do not exceed the bound.
   *
   * @returns a function that ends it; a second call does nothing.
   * @throws the refusal if there is no room.
   */
  enter(key: Key): () => void {
    const ofKey = this.#byKey.get(key) ?? 0;
    if (ofKey >= this.#most) {
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
