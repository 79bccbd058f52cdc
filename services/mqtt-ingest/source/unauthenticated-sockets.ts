import type { Socket } from 'node:net';
import { BoundedSockets, groupOfAddress } from '../../../platform/runtime/bounded-sockets.ts';
import { PacketGuard } from './packet-guard.ts';

/**
 * Sockets before sign-in. The broker does not see one before its CONNECT is complete, so a stranger costs no
 * more than a socket.
 *
 * States of a socket: gathering (up to 64 KiB of one CONNECT) -> handed over (the broker checks the
 * credentials; at most one more read of 64 KiB) -> signed in, which ends the work here. Junk, an oversized
 * CONNECT and a timeout end the socket; so does a newer one that finds no room ({@link BoundedSockets}), and
 * the largest if all together hold too much.
 */
export class UnauthenticatedSockets {
  readonly #sockets: BoundedSockets;
  readonly #patience: number;
  /** Bytes held per socket; after the handover the most it can be. */
  readonly #held = new Map<Socket, { bytes: number; timer: NodeJS.Timeout }>();
  #bytes = 0;

  /**
   * @param most sockets at once.
   * @param patience milliseconds from opening to sign-in.
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

  /** Gathers the socket's CONNECT. @param handOver gets the socket, paused, with everything still to be read. */
  enter(socket: Socket, handOver: (connect: Buffer) => void): void {
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
        const connect = Buffer.concat(pieces);
        socket.unshift(connect);
        this.#hold(socket, MOST_BEFORE_SIGN_IN);
        handOver(connect);
      } else if (tooLarge !== null || pieces.length > MOST_PIECES) {
        socket.destroy();
      } else {
        this.#hold(socket, bytes.length);
      }
    };
    socket.on('data', gather);
  }

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

/** Bytes before sign-in, per socket and in total. */
const MOST_BEFORE_SIGN_IN = 64 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;

/** Packet type and remaining length (MQTT 3.1.1 section 2.2). */
const CONNECT = 0x10;
const LONGEST_HEADER = 5;

/** More chunks than networks cut a CONNECT into; each costs some hundred bytes, however small. */
const MOST_PIECES = 256;

/** Milliseconds. */
const SIGN_IN_MS = 10_000;

function ignore(): void {}
