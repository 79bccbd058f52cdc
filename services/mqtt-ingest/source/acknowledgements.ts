/**
 * The acknowledgements that one connection owes, first in first out ([MQTT-4.6.0-2]): a message that is done waits
 * for those received before it. They are written together, as a batch is committed together.
 */
export class Acknowledgements {
  readonly #owed: { messageId: number; isDone: boolean }[] = [];
  readonly #write: (messageIds: readonly number[]) => void;
  #isFlushDue = false;

  /** @param write sends them; it drops them where the connection has ended. */
  constructor(write: (messageIds: readonly number[]) => void) {
    this.#write = write;
  }

  /** A message was received. @returns what to call when it is committed. */
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

  /** Sends all that may be sent. */
  flush(): void {
    this.#isFlushDue = false;
    const end = this.#owed.findIndex(({ isDone }) => !isDone);
    const done = this.#owed.splice(0, end === -1 ? this.#owed.length : end);
    if (done.length > 0) {
      this.#write(done.map(({ messageId }) => messageId));
    }
  }
}
