/**
 * Messages of one reader go on in the order in which they came, although reading them takes some longer than others; those
 * of other readers do not wait for them. And of what is read in the thread that serves everybody, no more is read in one
 * turn of the event loop than {@link MOST_IN_TURN}: a commit makes room for many messages at once.
 */
export class InOrder {
  /** By reader: when all of its messages that came so far have gone on. */
  readonly #tails = new Map<number, Promise<void>>();
  readonly #waiting: { bytes: number; proceed: () => void }[] = [];
  #bytesInTurn = 0;
  #turn: NodeJS.Immediate | null = null;

  /**
   * @param reader whose message it is.
   * @param bytes of payload that `read` reads in this thread.
   * @param next is called with what was read once the reader's earlier messages have gone on.
   */
  go<Read, Result>(
    reader: number,
    bytes: number,
    read: () => Read | Promise<Read>,
    next: (what: Read) => Promise<Result>,
  ): Promise<Result> {
    const before = this.#tails.get(reader);
    if (before !== undefined) {
      return this.#goLater(reader, before.then(() => this.#enter(bytes)).then(read), next);
    }
    const turn = this.#enter(bytes);
    if (turn !== null) {
      return this.#goLater(reader, turn.then(read), next);
    }
    const what = read();
    return what instanceof Promise ? this.#goLater(reader, what, next) : next(what);
  }

  /** Resolves when everything that came so far has gone on. */
  async settled(): Promise<void> {
    await Promise.all(this.#tails.values());
  }

  async #goLater<Read, Result>(
    reader: number,
    what: Promise<Read>,
    next: (what: Read) => Promise<Result>,
  ): Promise<Result> {
    const gone = Promise.withResolvers<void>();
    this.#tails.set(reader, gone.promise);
    let result: Promise<Result>;
    try {
      result = next(await what);
    } finally {
      if (this.#tails.get(reader) === gone.promise) {
        this.#tails.delete(reader);
      }
      gone.resolve();
    }
    return result;
  }

  /** Null if it may be read in this turn; else when its turn has come. */
  #enter(bytes: number): Promise<void> | null {
    if (bytes === 0) {
      return null;
    }
    this.#turn ??= setImmediate(() => this.#nextTurn());
    if (this.#waiting.length === 0 && this.#bytesInTurn < MOST_IN_TURN) {
      this.#bytesInTurn += bytes;
      return null;
    }
    return new Promise((proceed) => this.#waiting.push({ bytes, proceed }));
  }

  #nextTurn(): void {
    this.#turn = null;
    this.#bytesInTurn = 0;
    while (this.#bytesInTurn < MOST_IN_TURN) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        return;
      }
      this.#bytesInTurn += next.bytes;
      next.proceed();
    }
    this.#turn = setImmediate(() => this.#nextTurn());
  }
}

/** In bytes of payload: at the worst, text of nothing but keys, some 8 ms. */
const MOST_IN_TURN = 65_536;
