/** Whose room a message takes. */
export interface Owner {
  orgId: number;
  reader: string;
}

/** Owner of messages that are no registered reader's. It has no share. */
export const NOBODY: Owner = { orgId: 0, reader: '' };

/**
 * Bounds received, uncommitted messages over all connections of a process. A message without room waits, and
 * its connection is not read further: backpressure holds the rest back in the network and in the sender. A connection that
 * many organizations share is read on ({@link readOn}), until as much waits as may.
 *
 * Organizations take turns, and within each its readers; none may take all the room. So a heavy sender waits behind
 * itself, however many readers it has. One reader's messages are first come first served.
 */
export class HeldMessages {
  readonly #most: Room;
  readonly #mostWaiting: Room;
  /** By organization and reader, next in turn first; none is empty. */
  readonly #waiting = new Map<number, Map<string, Waiting[]>>();
  readonly #held: Room = { messages: 0, bytes: 0 };
  readonly #heldByOrganization = new Map<number, Room>();
  readonly #heldByReader = new Map<string, Room>();
  #turn = { reader: '', taken: 0 };
  readonly #waitingOfAll: Room = { messages: 0, bytes: 0 };
  /** Connections that are read on once less waits. */
  readonly #stopped: (() => void)[] = [];

  /**
   * @param most limits messages and bytes of payload; the last message admitted may exceed the bytes.
   * @param mostWaiting the same for messages of connections that are read on.
   */
  constructor(most: Room, mostWaiting: Room = NONE) {
    this.#most = most;
    this.#mostWaiting = mostWaiting;
  }

  get messages(): number {
    return this.#held.messages;
  }

  get bytes(): number {
    return this.#held.bytes;
  }

  get waiting(): Readonly<Room> {
    return this.#waitingOfAll;
  }

  /**
   * Admits a message now or when there is room.
   *
   * @param proceed called on admission; `leave` must follow when the message is finished.
   * @param owner charged for the room; all messages without one share alike.
   * @returns whether it was admitted at once.
   */
  enter(bytes: number, proceed: () => void, owner = NOBODY): boolean {
    const readers = this.#waiting.get(owner.orgId);
    const queue = readers?.get(owner.reader);
    if (queue === undefined && this.#hasRoom(owner, bytes)) {
      this.#letIn(owner, { bytes, proceed });
      return true;
    }
    if (queue !== undefined) {
      queue.push({ bytes, proceed });
    } else if (readers !== undefined) {
      readers.set(owner.reader, [{ bytes, proceed }]);
    } else {
      this.#waiting.set(owner.orgId, new Map([[owner.reader, [{ bytes, proceed }]]]));
    }
    this.#waitingOfAll.messages += 1;
    this.#waitingOfAll.bytes += bytes;
    return false;
  }

  /** Takes back a message that waits, so that it is never admitted. */
  withdraw(proceed: () => void, owner: Owner): void {
    const readers = this.#waiting.get(owner.orgId);
    const queue = readers?.get(owner.reader) ?? [];
    const at = queue.findIndex((each) => each.proceed === proceed);
    for (const { bytes } of queue.splice(at, at === -1 ? 0 : 1)) {
      this.#waitingOfAll.messages -= 1;
      this.#waitingOfAll.bytes -= bytes;
    }
    if (queue.length === 0 && readers?.delete(owner.reader) && readers.size === 0) {
      this.#waiting.delete(owner.orgId);
    }
  }

  /**
   * Reads a connection on, now or when less waits, though its last message waits.
   *
   * @returns whether that was now.
   */
  readOn(proceed: () => void): boolean {
    const isNow = this.#stopped.length === 0 && this.#mayWait();
    if (isNow) {
      proceed();
    } else {
      this.#stopped.push(proceed);
    }
    return isNow;
  }

  leave(bytes: number, owner = NOBODY): void {
    this.#held.messages -= 1;
    this.#held.bytes -= bytes;
    give(this.#heldByOrganization, owner.orgId, bytes);
    give(this.#heldByReader, owner.reader, bytes);
    while (this.#letNextIn()) {}
    while (this.#mayWait()) {
      const proceed = this.#stopped.shift();
      if (proceed === undefined) {
        return;
      }
      proceed();
    }
  }

  #mayWait(): boolean {
    const { messages, bytes } = this.#waitingOfAll;
    return messages < this.#mostWaiting.messages && bytes < this.#mostWaiting.bytes;
  }

  /** Lets in the first message in turn that fits. @returns whether there was one. */
  #letNextIn(): boolean {
    for (const [orgId, readers] of this.#isFull() ? [] : this.#waiting) {
      for (const [reader, queue] of this.#mayTake(orgId, 0) ? readers : []) {
        const [next] = queue;
        const owner = { orgId, reader };
        if (next !== undefined && this.#hasRoom(owner, next.bytes)) {
          queue.shift();
          this.#waitingOfAll.messages -= 1;
          this.#waitingOfAll.bytes -= next.bytes;
          this.#passTurn(owner, next.bytes, { readers, queue });
          this.#letIn(owner, next);
          return true;
        }
      }
    }
    return false;
  }

  /** After a {@link TURN} the next organization follows, and in this one the next reader. */
  #passTurn(
    { orgId, reader }: Owner,
    bytes: number,
    { readers, queue }: { readers: Map<string, Waiting[]>; queue: Waiting[] },
  ): void {
    this.#turn = this.#turn.reader === reader ? this.#turn : { reader, taken: 0 };
    this.#turn.taken += MESSAGE + bytes;
    const isOver = this.#turn.taken >= TURN;
    if (queue.length === 0 || isOver) {
      readers.delete(reader);
      this.#waiting.delete(orgId);
      if (queue.length > 0) {
        readers.set(reader, queue);
      }
      if (readers.size > 0) {
        this.#waiting.set(orgId, readers);
      }
      this.#turn.taken = 0;
    }
  }

  #isFull(): boolean {
    return this.#held.messages >= this.#most.messages || this.#held.bytes >= this.#most.bytes;
  }

  #hasRoom({ orgId, reader }: Owner, bytes: number): boolean {
    if (this.#isFull() || !this.#mayTake(orgId, bytes)) {
      return false;
    }
    const held = orgId === NOBODY.orgId ? undefined : this.#heldByReader.get(reader);
    return (
      held === undefined ||
      (held.messages < this.#most.messages * SHARE && held.bytes < this.#most.bytes * SHARE_OF_READER)
    );
  }

  #mayTake(orgId: number, bytes: number): boolean {
    const held = orgId === NOBODY.orgId ? undefined : this.#heldByOrganization.get(orgId);
    return (
      held === undefined ||
      (held.messages < this.#most.messages * SHARE && held.bytes + bytes <= this.#most.bytes * SHARE)
    );
  }

  #letIn(owner: Owner, { bytes, proceed }: Waiting): void {
    this.#held.messages += 1;
    this.#held.bytes += bytes;
    take(this.#heldByOrganization, owner.orgId, bytes);
    take(this.#heldByReader, owner.reader, bytes);
    proceed();
  }
}

function take<Key>(held: Map<Key, Room>, key: Key, bytes: number): void {
  const room = held.get(key);
  if (room === undefined) {
    held.set(key, { messages: 1, bytes });
  } else {
    room.messages += 1;
    room.bytes += bytes;
  }
}

function give<Key>(held: Map<Key, Room>, key: Key, bytes: number): void {
  const room = held.get(key);
  if (room !== undefined) {
    room.messages -= 1;
    room.bytes -= bytes;
    if (room.messages === 0) {
      held.delete(key);
    }
  }
}

interface Room {
  messages: number;
  bytes: number;
}

interface Waiting {
  bytes: number;
  proceed: () => void;
}

/**
 * Bytes per reader and turn, with an addition per message. A reader's reads are often of the same assets, and a batch
 * writes each asset once: one message per turn wrote a quarter to a third more positions than first come first served;
 * this writes a seventh more.
 */
const TURN = 65_536;
const MESSAGE = 1_024;

/** Share of the room that one organization may hold, and of its messages one reader. */
const SHARE = 0.75;

/** Share of the bytes that one reader may hold before its last message, which may be one of the largest. */
const SHARE_OF_READER = 0.5;

/**
 * Enough, at one read a message, for two batches in each of the recorder's lanes, so that one fills while the
 * other commits; of large messages some 20,000 reads, about 8 MB once decoded. With 4 MiB the process grew by
 * 90 MB during an outage, with 2 MiB by 6.
 */
export const MOST_HELD: Room = { messages: 4_000, bytes: 2 * 1024 * 1024 };

/**
 * At a broker of your own: an organization that sends large messages faster than they are recorded holds up others of its session
 * once so much waits. That is half a minute of one excess mebibyte a second.
 */
export const MOST_WAITING: Room = { messages: 4_000, bytes: 32 * 1024 * 1024 };

const NONE: Room = { messages: 0, bytes: 0 };
