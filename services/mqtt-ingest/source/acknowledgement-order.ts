/**
 * Acknowledgements owed on one connection, in order of reception ([MQTT-4.6.0-2]): a finished message waits for those
 * received before it. Written together, as a batch is committed together.
 */
export class Acknowledgements {
  readonly #owed: { messageId: number; isDone: boolean }[] = [];
  readonly #write: (messageIds: readonly number[]) => void;
  #isFlushDue = false;

  /** @param write sends them, or drops them if the connection has ended. */
  constructor(write: (messageIds: readonly number[]) => void) {
    this.#write = write;
  }

  /** @returns a function to call when the message is committed. */
  owe(messageId: number): () => void {
    const entry = { messageId, isDone: false };
    this.#owed.push(entry);
    return () => {
      entry.isDone = true;
      if (!this.#isFlushDue) {
        this.#isFlushDue = true;
        setImmediate(() => this.flush());
      }
    };
  }

  flush(): void {
    this.#isFlushDue = false;
    const end = this.#owed.findIndex(({ isDone }) => !isDone);
    const done = this.#owed.splice(0, end === -1 ? this.#owed.length : end);
    if (done.length > 0) {
      this.#write(done.map(({ messageId }) => messageId));
    }
  }
}
