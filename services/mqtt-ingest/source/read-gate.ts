import type { Socket } from 'node:net';

/**
 * Keeps the broker from reading a connection on while a message of it waits for room.
 *
 * The broker means to: it counts a packet that it has begun and reads again when all are done. But it takes one off the
 * count for every piece of data that arrives, too (aedes 1.2, `nextBatch`), so where packets come one by one it reads
 * on without end, and an outage fills the memory with what readers sent in it. While the gate is shut, reading finds
 * nothing. It need not be told when the gate opens, because it looks again whenever a publish is done, and one is
 * under way as long as the gate is shut.
 */
export class ReadGate {
  #waiting = 0;

  constructor(socket: Socket) {
    const read = socket.read.bind(socket);
    // Of size 0 it is the stream's own, to fill its buffer, which is bounded.
    socket.read = (size) => (this.#waiting > 0 && size !== 0 ? null : read(size));
  }

  /** A message begins to wait. */
  shut(): void {
    this.#waiting += 1;
  }

  /** It waits no more. */
  open(): void {
    this.#waiting -= 1;
  }
}
