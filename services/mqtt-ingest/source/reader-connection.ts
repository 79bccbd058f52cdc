import type { Socket } from 'node:net';
import { PacketGuard } from './packet-guard.ts';
import { ReadGate } from './read-gate.ts';
import { ReaderKeepalive } from './reader-keepalive.ts';
import type { ReaderQuota, ReaderQuotas } from './reader-quotas.ts';

/** What is kept of a connection at the embedded broker beside what the broker keeps. */
export class ReaderConnection {
  readonly address: string;
  readonly keepalive: ReaderKeepalive;
  /** Null until it has signed in. */
  username: string | null = null;
  readonly #socket: Socket;
  readonly #gate: ReadGate;
  readonly #guard = new PacketGuard(LARGEST_PACKET);
  #quota: ReaderQuota | null = null;
  #isThrottled = false;
  /** Pieces that the packet under way has come in. */
  #pieces = 0;

  /** @param onCut is told of a connection that is cut off, by its user name if it has signed in, and why. */
  constructor(
    socket: Socket,
    quotas: ReaderQuotas,
    onCut: (username: string | null, reason: string) => void,
  ) {
    this.#socket = socket;
    this.address = socket.remoteAddress ?? 'gone';
    this.#gate = new ReadGate(socket);
    this.keepalive = new ReaderKeepalive({
      answerPing: () => socket.write(PINGRESP),
      cutOff: () => socket.destroy(),
    });
    socket.once('close', () => {
      this.keepalive.stop();
      if (this.#quota !== null) {
        this.#quota.gather(socket, 0);
        this.#quota.connections -= 1;
      }
    });
    const cut = (reason: string, which = socket) => {
      onCut(which === socket ? this.username : null, reason);
      which.destroy();
    };
    // The broker reads by itself; this hears of what it has read.
    socket.on('data', (bytes: Buffer) => {
      this.keepalive.heard();
      const before = this.#guard.packets;
      const tooLarge = this.#guard.feed(bytes);
      const packets = this.#guard.packets - before;
      this.#pieces = packets > 0 ? 0 : this.#pieces + 1;
      if (tooLarge !== null) {
        cut(`a packet of ${tooLarge} bytes is over the limit of ${LARGEST_PACKET}`);
      } else if (this.#pieces > FEW_PIECES + this.#guard.gathering / SMALL_PIECE) {
        cut('a packet came in too many pieces');
      } else if (this.#quota !== null) {
        // A piece of a packet costs as much to take as a small packet.
        this.#quota.charge(Math.max(1, packets), bytes.length);
        this.#quota.gather(socket, this.#guard.gathering > LARGE_PACKET ? this.#guard.gathering : 0);
        const overfull = this.#guard.gathering > LARGE_PACKET ? quotas.overfull(this.#quota) : null;
        if (overfull !== null) {
          cut('too much of packets that have begun and not ended', overfull);
        }
        this.#throttle();
      }
    });
  }

  /** From now on it is a reader's, and shares its quota. */
  signIn(username: string, quota: ReaderQuota): void {
    this.username = username;
    this.#quota = quota;
    // Sockets are opened with less (UNAUTHENTICATED_READ_AHEAD), and Node.js has no public way to change it.
    const { _readableState: state } = this.#socket as unknown as {
      _readableState: { highWaterMark: number };
    };
    state.highWaterMark = READ_AHEAD;
    if (this.#socket.destroyed) {
      quota.connections -= 1;
      this.#quota = null;
    } else {
      this.#throttle();
    }
  }

  /** A publish begins to wait for its commit, and reading waits until there is room for it. */
  hold(): void {
    this.keepalive.hold();
    this.#gate.shut();
  }

  /** There is room for the publish. @returns how long the reader was held back by its quota since the last one, in ms. */
  admit(): number {
    this.#gate.open();
    return this.#quota?.takeThrottled() ?? 0;
  }

  /** A publish was decoded, and has so many reads in it. */
  chargeReads(reads: number): void {
    this.#quota?.chargeReads(reads);
    this.#throttle();
  }

  /** It is committed, or given up. */
  release(): void {
    this.keepalive.release();
  }

  #throttle(): void {
    const quota = this.#quota;
    if (quota === null || this.#isThrottled || quota.debt === 0) {
      return;
    }
    this.#isThrottled = true;
    this.hold();
    quota.wait(() => {
      this.#isThrottled = false;
      this.#gate.open();
      this.keepalive.release();
      if (!this.#socket.destroyed) {
        // The broker looks again for what the gate kept from it.
        this.#socket.emit('readable');
      }
    });
  }
}

/**
 * In bytes. Messages over the format's limit of 1 MiB are rejected and explained up to this size; beyond it the
 * connection is cut before they are gathered.
 */
const LARGEST_PACKET = 16 * 1024 * 1024;

/** Packets from this size on are counted while they are gathered. */
const LARGE_PACKET = 64 * 1024;

/** Each piece costs memory of its own: a packet may come in this many, and one more for this many bytes. */
const FEW_PIECES = 256;
const SMALL_PIECE = 128;

/**
 * Bytes of a connection that are read before they can be taken, and that are taken at once: in an outage each reader with
 * more to send holds twice that. With 64 KiB twenty readers caught up after one at 1.8 times the load, with this at
 * 2.5 times: what is taken must last until all of it is committed (`test/bench/INGEST.md`).
 */
const READ_AHEAD = 128 * 1024;

/** As small as it can be: a socket that is not read then holds no more than the one piece read last, at most 64 KiB. */
export const UNAUTHENTICATED_READ_AHEAD = 1;

/** MQTT 3.1.1 section 3.13. Readers get nothing but whole answers, each written at once, so it comes between two. */
const PINGRESP = Buffer.from([0xd0, 0]);
