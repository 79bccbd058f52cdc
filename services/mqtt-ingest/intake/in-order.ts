import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Preserves each reader's order although some messages take longer to decode; other readers do not wait. On
 * the main thread, decoding is limited to {@link MOST_IN_TURN} per turn of the event loop: a commit makes
 * room for many messages at once.
 */
export class InOrder {
  readonly #tails = new Map<number, Promise<void>>();
  readonly #waiting: { bytes: number; proceed: () => void }[] = [];
  #bytesInTurn = 0;
  #turn: NodeJS.Immediate | null = null;

  go<Prepared, Result>(step: Step<Prepared, Result>): Promise<Result> {
    if (this.#tails.has(step.reader)) {
      return this.#now(step);
    }
    // One queue for all, without promises in between, keeps each reader's messages in order.
    return (this.#waiting.length === 0 && step.bytes === 0) || this.#enters(step.bytes)
      ? this.#now(step)
      : new Promise((resolve, reject) => {
          const proceed = () => {
            try {
              resolve(this.#now(step));
            } catch (error) {
              reject(error);
            }
          };
          this.#waiting.push({ bytes: step.bytes, proceed });
        });
  }

  async settled(): Promise<void> {
    while (this.#waiting.length > 0) {
      await nextTurn();
    }
    await Promise.all(this.#tails.values());
  }

  #now<Prepared, Result>(step: Step<Prepared, Result>): Promise<Result> {
    const before = this.#tails.get(step.reader);
    if (before !== undefined) {
      return this.#goLater(
        step,
        before.then(() => this.#turnOf(step.bytes)).then(() => step.read()),
      );
    }
    const what = step.read();
    return what instanceof Promise ? this.#goLater(step, what) : step.next(what);
  }

  async #goLater<Prepared, Result>(step: Step<Prepared, Result>, what: Promise<Prepared>): Promise<Result> {
    const { reader } = step;
    const gone = Promise.withResolvers<void>();
    this.#tails.set(reader, gone.promise);
    let result: Promise<Result>;
    try {
      result = step.next(await what);
    } finally {
      if (this.#tails.get(reader) === gone.promise) {
        this.#tails.delete(reader);
      }
      gone.resolve();
    }
    return result;
  }

  /** Null if it may be decoded at once. */
  #turnOf(bytes: number): Promise<void> | null {
    return bytes === 0 || this.#enters(bytes)
      ? null
      : new Promise((proceed) => this.#waiting.push({ bytes, proceed }));
  }

  #enters(bytes: number): boolean {
    this.#turn ??= setImmediate(() => this.#nextTurn());
    const enters = this.#waiting.length === 0 && this.#bytesInTurn < MOST_IN_TURN;
    this.#bytesInTurn += enters ? bytes : 0;
    return enters;
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

/**
 * One object per message, and no other if it goes on at once: thousands wait for a commit, and further objects were
 * most of the garbage collector's work.
 */
interface Step<Prepared, Result> {
  reader: number;
  /** Payload bytes that `read` decodes on this thread. */
  bytes: number;
  read(): Prepared | Promise<Prepared>;
  next(what: Prepared): Promise<Result>;
}

/** Bytes of payload; at worst, JSON of nothing but keys, some 8 ms. */
const MOST_IN_TURN = 65_536;
