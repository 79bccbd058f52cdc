interface Owed {
  messageId: number;
  isDone: boolean;
  since: number;
}

/**
 * Acknowledgements owed on one connection, in order of reception ([MQTT-4.6.0-2]): a finished message waits for those
 * received before it, but not for long. Otherwise a message that takes seconds to record would stop all readers of its
 * session once the broker's limit of unacknowledged messages is reached. Brokers find a message by its identifier,
 * whatever the order. Written together, as a batch is committed together.
 */
export class Acknowledgements {
  #owed: Owed[] = [];
  readonly #write: (messageIds: readonly number[], areAllUpToLast: boolean) => void;
  #isFlushDue = false;
  #passing: NodeJS.Timeout | null = null;

  /**
   * @param write sends them, or drops them if the connection has ended; gets whether none received before the last is
   * left.
   */
  constructor(write: (messageIds: readonly number[], areAllUpToLast: boolean) => void) {
    this.#write = write;
  }

  /** @returns a function to call when the message is committed. */
  owe(messageId: number): () => void {
    const entry = { messageId, isDone: false, since: performance.now() };
    this.#owed.push(entry);
    return () => {
      entry.isDone = true;
      if (!this.#isFlushDue) {
        this.#isFlushDue = true;
        setImmediate(() => this.flush());
      }
    };
  }

  /**
   * @param patience in milliseconds; nothing at the end of a connection, because unacknowledged messages come again.
   */
  flush(patience = PATIENCE): void {
    this.#isFlushDue = false;
    const now = performance.now();
    const end = this.#owed.findIndex(({ isDone, since }) => !isDone && now - since < patience);
    const seen = this.#owed.splice(0, end === -1 ? this.#owed.length : end);
    const passed = seen.filter(({ isDone }) => !isDone);
    this.#owed = passed.length === 0 ? this.#owed : [...passed, ...this.#owed];
    const done = seen.filter(({ isDone }) => isDone);
    if (done.length > 0) {
      this.#write(
        done.map(({ messageId }) => messageId),
        passed.length === 0,
      );
    }
    const awaited = this.#owed[passed.length];
    if (awaited !== undefined && this.#owed.some(({ isDone }) => isDone)) {
      this.#passing ??= setTimeout(
        () => {
          this.#passing = null;
          this.flush();
        },
        Math.max(1, awaited.since + PATIENCE - now),
      ).unref();
    }
  }
}

/** Milliseconds: several times what a commit takes. */
const PATIENCE = 100;
