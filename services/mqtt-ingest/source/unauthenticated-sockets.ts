import type { Socket } from 'node:net';
import { BoundedSockets, groupOfAddress } from '../../../platform/runtime/bounded-sockets.ts';
import { PacketGuard } from './packet-guard.ts';

/**
 * Sockets that have not signed in. The broker does not see one before its CONNECT is whole, so that a stranger costs
 * what its socket costs.
 *
 * States of a socket: gathering (up to 64 KiB of one CONNECT) -> handed over (the broker checks the credentials; no
 * more than one further read of 64 KiB is taken) -> signed in, which ends what is done here. Junk, a CONNECT that is
 * too large, and one that is not answered in time end the socket; so does a newer one that finds no room
 * ({@link BoundedSockets}), and the largest where all together hold too much.
 */
export class UnauthenticatedSockets {
  readonly #sockets: BoundedSockets;
  readonly #patience: number;
  /** What each socket holds in bytes; of those handed over, the most it can be. */
  readonly #held = new Map<Socket, { bytes: number; timer: NodeJS.Timeout }>();
  #bytes = 0;

  /**
   * @param most sockets at once.
   * @param patience milliseconds from a socket's opening until it must have signed in.
   */
  constructor({ most, patience = SIGN_IN_MS }: { most: number; patience?: number }) {
    this.#sockets = new BoundedSockets(most);
    this.#patience = patience;
  }

  get size(): number {
    return this.#sockets.size;
  }

  get evicted(): number {
    return this.#sockets.evicted;
  }

  /** Gathers the socket's CONNECT. @param handOver is given the socket, paused, with everything still to be read. */
  enter(socket: Socket, handOver: () => void): void {
    const timer = setTimeout(() => socket.destroy(), this.#patience);
    this.#held.set(socket, { bytes: 0, timer });
    socket.once('close', () => this.leave(socket));
    socket.on('error', ignore);
    this.#sockets.add(socket, groupOfAddress(socket.remoteAddress));
    const guard = new PacketGuard(MOST_BEFORE_SIGN_IN - LONGEST_HEADER);
    const pieces: Buffer[] = [];
    const gather = (bytes: Buffer) => {
      if (pieces.length === 0 && bytes[0] !== CONNECT) {
        socket.destroy();
        return;
      }
      pieces.push(bytes);
      const tooLarge = guard.feed(bytes);
      if (guard.packets > 0) {
        socket.off('data', gather);
        socket.pause();
        socket.unshift(Buffer.concat(pieces));
        this.#hold(socket, MOST_BEFORE_SIGN_IN);
        handOver();
      } else if (tooLarge !== null || pieces.length > MOST_PIECES) {
        socket.destroy();
      } else {
        this.#hold(socket, bytes.length);
      }
    };
    socket.on('data', gather);
  }

  /** The socket has signed in, or is gone. */
  leave(socket: Socket): void {
    const held = this.#held.get(socket);
    if (held !== undefined) {
      clearTimeout(held.timer);
      this.#bytes -= held.bytes;
      this.#held.delete(socket);
      this.#sockets.remove(socket);
      socket.off('error', ignore);
    }
  }

  #hold(socket: Socket, bytes: number): void {
    const held = this.#held.get(socket);
    if (held !== undefined) {
      held.bytes += bytes;
      this.#bytes += bytes;
      while (this.#bytes > MOST_BYTES) {
        this.#cutLargest();
      }
    }
  }

  #cutLargest(): void {
    const [largest] = [...this.#held].reduce((most, one) => (one[1].bytes > most[1].bytes ? one : most));
    this.leave(largest);
    largest.on('error', ignore);
    largest.destroy();
  }
}

/** Bytes of a socket that has not signed in, and of all of them together. */
const MOST_BEFORE_SIGN_IN = 64 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;

/** Type and remaining length of a packet (MQTT 3.1.1 section 2.2). */
const CONNECT = 0x10;
const LONGEST_HEADER = 5;

/** More pieces than networks cut a CONNECT into; each costs some hundred bytes however small it is. */
const MOST_PIECES = 256;

/** Milliseconds. */
const SIGN_IN_MS = 10_000;

function ignore(): void {}
