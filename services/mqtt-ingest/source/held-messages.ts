/**
 * Bounds what has been received and is not committed yet, over all connections of a process. A message that finds no
 * room waits, first come first served; whoever reads a connection reads nothing more from it until then, so that what
 * comes next waits in the network and in the sender.
 */
export class HeldMessages {
  readonly #mostMessages: number;
  readonly #mostBytes: number;
  readonly #waiting: { bytes: number; proceed: () => void }[] = [];
  #messages = 0;
  #bytes = 0;

  /** @param bytes of payload; the last message let in may exceed it. */
  constructor({ messages, bytes }: { messages: number; bytes: number }) {
    this.#mostMessages = messages;
    this.#mostBytes = bytes;
  }

  get messages(): number {
    return this.#messages;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Messages that wait for room. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Lets a message in, now or when there is room.
   *
   * @param proceed is called when it is in; `leave` must follow once it is done with.
   * @returns whether it was let in at once.
   */
  enter(bytes: number, proceed: () => void): boolean {
    if (this.#waiting.length > 0 || !this.#hasRoom()) {
      this.#waiting.push({ bytes, proceed });
      return false;
    }
    this.#letIn(bytes, proceed);
    return true;
  }

  leave(bytes: number): void {
    this.#messages -= 1;
    this.#bytes -= bytes;
    while (this.#hasRoom()) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        return;
      }
      this.#letIn(next.bytes, next.proceed);
    }
  }

  #hasRoom(): boolean {
    return this.#messages < this.#mostMessages && this.#bytes < this.#mostBytes;
  }

  #letIn(bytes: number, proceed: () => void): void {
    this.#messages += 1;
    this.#bytes += bytes;
    proceed();
  }
}

/**
 * The most that is held: at one read a message two batches of the recorder for each of its lanes, so that one fills
 * while the other is committed; of large messages some 20,000 reads, about 8 MB once they are mapped. With 4 MiB the
 * process grew by 90 MB during an outage, with 2 MiB by 6.
 */
export const MOST_HELD = { messages: 4_000, bytes: 2 * 1024 * 1024 };
