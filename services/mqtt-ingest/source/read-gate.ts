import type { Socket } from 'node:net';

/**
 * Backpressure at the embedded broker: stops reading a connection while one of its messages waits for room.
 *
 * aedes means to do so: it counts unfinished packets and reads again when all are done. But it also decrements the
 * count for every chunk that arrives (aedes 1.2, `nextBatch`), so where packets come one by one it reads on without
 * end, and an outage fills the memory. While the gate is shut, reads find nothing. It need not be told when the gate
 * opens: it looks again whenever a publish is done, and one is under way as long as the gate is shut.
 */
export class ReadGate {
  #waiting = 0;

  constructor(socket: Socket) {
    const read = socket.read.bind(socket);
    // Of size 0 it is the stream's own, to fill its buffer, which is bounded.
    socket.read = (size) => (this.#waiting > 0 && size !== 0 ? null : read(size));
  }

  /** Call when a message starts waiting. */
  shut(): void {
    this.#waiting += 1;
  }

  /** Call when it no longer waits. */
  open(): void {
    this.#waiting -= 1;
  }
}
