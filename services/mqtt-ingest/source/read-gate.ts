import type { Socket } from 'node:net';

/**
 * Backpressure at the embedded broker: stops reading a connection while one of its messages waits for room.
 *
 * aedes means to do so: it counts unfinished packets and reads again when all are done. But it also
 * decrements the count for every chunk that arrives (aedes 1.2, `nextBatch`), so if packets come one by one
 * it reads on without end, and an outage fills the memory. While the gate is shut, reads find nothing.
 * Opening the gate needs no signal: it is checked whenever a publish is done, and one is pending as long as
 * the gate is shut.
 */
export class ReadGate {
  #waiting = 0;
  #atMost: number | null = null;

  constructor(socket: Socket) {
    const read = socket.read.bind(socket);
    socket.read = (size) => {
      // Size 0 is the stream's own read, to fill its bounded buffer.
      if (this.#waiting > 0 && size !== 0) {
        return null;
      }
      if (size === 0 || socket.readableLength === 0) {
        return read(size);
      }
      const atMost = this.#atMost;
      this.#atMost = null;
      if (atMost === null || socket.readableLength <= atMost) {
        return read(size);
      }
      setImmediate(() => socket.emit('readable'));
      return read(atMost);
    };
  }

  /** The next read takes no more than that; the rest is there for the one after it. */
  limitNext(bytes: number): void {
    this.#atMost = bytes;
  }

  shut(): void {
    this.#waiting += 1;
  }

  open(): void {
    this.#waiting -= 1;
  }
}
