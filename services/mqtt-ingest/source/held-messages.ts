const ALL = '';

/**
 * Bounds received, uncommitted messages over all connections of a process. A message without room waits, and
 * its connection is not read further: backpressure holds the rest back in the network and in the sender.
 *
 * Owners take turns, and none may take all the room, so that a heavy sender waits behind itself; one owner's
 * messages are first come first served.
 */
export class HeldMessages {
  readonly #mostMessages: number;
  readonly #mostBytes: number;
  /** By owner, next in turn first; never empty. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #heldBy = new Map<string, { messages: number; bytes: number }>();
  #turn = { owner: ALL, taken: 0 };
  #messages = 0;
  #bytes = 0;
  #waitingMessages = 0;

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

  get waiting(): number {
    return this.#waitingMessages;
  }

  /**
   * Admits a message now or when there is room.
   *
   * @param proceed called on admission; `leave` must follow when the message is finished.
   * @param owner charged for the room; all messages without one share alike.
   * @returns whether it was admitted at once.
   */
  enter(bytes: number, proceed: () => void, owner = ALL): boolean {
    const queue = this.#waiting.get(owner);
    if (queue === undefined && this.#hasRoom(owner)) {
      this.#letIn({ bytes, proceed }, owner);
      return true;
    }
    queue === undefined ? this.#waiting.set(owner, [{ bytes, proceed }]) : queue.push({ bytes, proceed });
    this.#waitingMessages += 1;
    return false;
  }

  leave(bytes: number, owner = ALL): void {
    this.#messages -= 1;
    this.#bytes -= bytes;
    const held = this.#heldBy.get(owner);
    if (held !== undefined) {
      held.messages -= 1;
      held.bytes -= bytes;
      if (held.messages === 0) {
        this.#heldBy.delete(owner);
      }
    }
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#waitingMessages -= 1;
      this.#letIn(next.entry, next.owner);
    }
  }

  /** The first message in turn that fits; after a {@link TURN} the next owner follows. */
  #next(): { entry: Waiting; owner: string } | null {
    if (this.#isFull()) {
      return null;
    }
    for (const [owner, queue] of this.#waiting) {
      if (this.#hasRoom(owner)) {
        const entry = queue.shift();
        this.#turn = this.#turn.owner === owner ? this.#turn : { owner, taken: 0 };
        this.#turn.taken += MESSAGE + (entry?.bytes ?? 0);
        if (queue.length === 0) {
          this.#waiting.delete(owner);
        } else if (this.#turn.taken >= TURN) {
          this.#waiting.delete(owner);
          this.#waiting.set(owner, queue);
          this.#turn.taken = 0;
        }
        if (entry !== undefined) {
          return { entry, owner };
        }
      }
    }
    return null;
  }

  #isFull(): boolean {
    return this.#messages >= this.#mostMessages || this.#bytes >= this.#mostBytes;
  }

  #hasRoom(owner: string): boolean {
    const held = owner === ALL ? undefined : this.#heldBy.get(owner);
    return (
      !this.#isFull() &&
      (held === undefined ||
        (held.messages < this.#mostMessages * SHARE && held.bytes < this.#mostBytes * SHARE_OF_BYTES))
    );
  }

  #letIn({ bytes, proceed }: Waiting, owner: string): void {
    this.#messages += 1;
    this.#bytes += bytes;
    const held = this.#heldBy.get(owner);
    if (held === undefined) {
      this.#heldBy.set(owner, { messages: 1, bytes });
    } else {
      held.messages += 1;
      held.bytes += bytes;
    }
    proceed();
  }
}

interface Waiting {
  bytes: number;
  proceed: () => void;
}

/**
 * Bytes per owner and turn, with so many added per message. A reader's reads tend to be of the same assets, and each
 * asset of a batch is locked and written once: with one message a turn, 50 reads each, a quarter to a third more
 * positions were written than first come first served; with this a seventh.
 */
const TURN = 65_536;
const MESSAGE = 1_024;

/**
 * Share of the room that one owner may hold; half of the bytes, as the last message admitted may be one of
 * the largest.
 */
const SHARE = 0.75;
const SHARE_OF_BYTES = 0.5;

/**
 * Enough, at one read a message, for two batches in each of the recorder's lanes, so that one fills while the
 * other commits; of large messages some 20,000 reads, about 8 MB once decoded. With 4 MiB the process grew by
 * 90 MB during an outage, with 2 MiB by 6.
 */
export const MOST_HELD = { messages: 4_000, bytes: 2 * 1024 * 1024 };
