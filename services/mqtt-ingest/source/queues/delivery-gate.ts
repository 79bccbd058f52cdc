import type { Socket } from 'node:net';

/**
 * Backpressure for the AMQP client, which reads its socket greedily and passes on everything: deliveries are taken one
 * at a time, and nothing is read while one waits for room. AMQP's own bound, the prefetch, counts messages of any size.
 * What was already read waits here: one chunk of the socket, and an incomplete message.
 */
export class DeliveryGate<Delivery> {
  heardAt = performance.now();
  readonly #socket: Socket;
  readonly #take: (delivery: Delivery, proceed: () => void) => boolean;
  readonly #waiting: Delivery[] = [];
  #isShut = false;
  #isDraining = false;

  /** @param take returns whether `proceed` was called already. */
  constructor(socket: Socket, take: (delivery: Delivery, proceed: () => void) => boolean) {
    this.#socket = socket;
    this.#take = take;
    const read = socket.read.bind(socket);
    // Size 0 is the stream's own read, to fill its bounded buffer.
    socket.read = (size) => {
      const bytes = this.#isShut && size !== 0 ? null : read(size);
      this.heardAt = bytes === null ? this.heardAt : performance.now();
      return bytes;
    };
  }

  get isShut(): boolean {
    return this.#isShut;
  }

  pass(delivery: Delivery): void {
    this.#waiting.push(delivery);
    this.#drain();
  }

  #drain(): void {
    if (this.#isDraining) {
      return;
    }
    this.#isDraining = true;
    while (!this.#isShut) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        break;
      }
      this.#isShut = !this.#take(next, () => this.#open());
    }
    this.#isDraining = false;
  }

  #open(): void {
    if (!this.#isShut) {
      return;
    }
    this.#isShut = false;
    this.#drain();
    if (!this.#isShut) {
      // The client reads when it hears that there is something to read.
      this.#socket.emit('readable');
    }
  }
}
