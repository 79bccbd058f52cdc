import type { Socket } from 'node:net';
import type { PublishPacket } from 'aedes';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import type { Intake } from '../intake/intake.ts';
import type { HeldMessages } from './held-messages.ts';
import { PacketGuard } from './packet-guard.ts';
import { READ_AHEAD, setReadAhead } from './read-ahead.ts';
import type { ReaderQuota, ReaderQuotas } from './reader-quotas.ts';

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
  #pieces = 0;

  /** @param onCut called when a connection is cut, with the reason and, after sign-in, the user name. */
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
    // The broker reads by itself; this observes the data it has read.
    socket.on('data', (bytes: Buffer) => {
      this.keepalive.heard();
      const before = this.#guard.packets;
      const tooLarge = this.#guard.feed(bytes);
      const packets = this.#guard.packets - before;
      this.#pieces = packets > 0 ? 0 : this.#pieces + 1;
      if (tooLarge !== null) {
        cut(`a packet of ${tooLarge} bytes is over the limit of ${this.#guard.limit}`);
      } else if (this.#pieces > FEW_PIECES + this.#guard.gathering / SMALL_PIECE) {
        cut('a packet came in too many pieces');
      } else if (this.#quota !== null) {
        // A fragment of a packet costs as much to handle as a small packet.
        this.#quota.charge(Math.max(1, packets), bytes.length);
        if (packets * TINY > bytes.length) {
          this.#gate.limitNext(FEW_AT_ONCE);
        }
        this.#quota.gather(socket, this.#guard.gathering > LARGE_PACKET ? this.#guard.gathering : 0);
        const overfull = this.#guard.gathering > LARGE_PACKET ? quotas.overfull(this.#quota) : null;
        if (overfull !== null) {
          cut('too much of packets that have begun and not ended', overfull);
        }
        this.#throttle();
      }
    });
  }

  signIn(username: string, quota: ReaderQuota): void {
    this.username = username;
    this.#quota = quota;
    setReadAhead(this.#socket, READ_AHEAD);
    this.#gate.limitNext(FEW_AT_ONCE);
    if (this.#socket.destroyed) {
      quota.connections -= 1;
      this.#quota = null;
    } else {
      this.#throttle();
    }
  }

  /** Call when a publish starts waiting for its commit; reading pauses until there is room for it. */
  hold(): void {
    this.keepalive.hold();
    this.#gate.shut();
  }

  /** Call when there is room for the publish. @returns milliseconds of throttling since the last one. */
  admit(): number {
    this.#gate.open();
    return this.#quota?.takeThrottled() ?? 0;
  }

  chargeReads(reads: number): void {
    this.#quota?.chargeReads(reads);
    this.#throttle();
  }

  /** Counts as if this many messages had been received. */
  charge(messages: number): void {
    this.#quota?.charge(messages, 0);
    this.#throttle();
  }

  cut(): void {
    this.#socket.destroy();
  }

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
        // Makes the broker read what the gate withheld.
        this.#socket.emit('readable');
      }
    });
  }
}

/**
 * Bytes. Messages over the format's limit of 1 MiB are rejected with a reason up to this size; beyond it the
 * connection is cut before they are buffered.
 */
const LARGEST_PACKET = 16 * 1024 * 1024;

/** Bytes. A smaller packet carries no read. */
const TINY = 16;

/** Bytes of tiny packets that are taken at once: a whole chunk has tens of thousands, handled before any is charged. */
const FEW_AT_ONCE = 4 * 1024;

/** Bytes from which unfinished packets are counted. */
const LARGE_PACKET = 64 * 1024;

/** Every chunk costs memory: a packet may come in this many, and one more per this many bytes. */
const FEW_PIECES = 256;
const SMALL_PIECE = 128;

/** MQTT 3.1.1 section 3.13. Readers get whole packets only, each written at once, so it fits between two. */
const PINGRESP = Buffer.from([0xd0, 0]);

/**
 * Backpressure at the embedded broker: stops reading a connection while one of its messages waits for room.
 *
 * aedes means to do so: it counts unfinished packets and reads again when all are done. But it also
 * decrements the count for every chunk that arrives (aedes 1.2, `nextBatch`), so if packets come one by one
 * it reads on without end, and an outage fills the memory. While the gate is shut, reads find nothing.
 * Opening the gate needs no signal: it is checked whenever a publish is done, and one is pending as long as
 * the gate is shut.
 */
class ReadGate {
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

/**
 * Keepalive of a reader's connection to the embedded broker.
 *
 * The broker does not read a connection while one of its publishes waits for its commit, so it neither sees
 * nor answers pings, and in an outage both sides would drop the connection. So the broker's own keepalive is
 * off, and this replaces it: a reader that is silent for one and a half keepalives is cut off
 * ([MQTT-3.1.2-24]), but not while its connection is paused; meanwhile its unread pings are answered all the
 * same. Readers ignore an answer to a ping they did not send.
 */
class ReaderKeepalive {
  readonly #answerPing: () => void;
  readonly #cutOff: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Looks since something was heard, so that a stalled process does not blame the reader. */
  #silentLooks = 0;
  #held = 0;
  /**
   * True if anything was held since the last check. Consecutive commits let a little be read between them,
   * and a ping may be far behind everything buffered by reader and network.
   */
  #wasHeld = false;

  constructor({ answerPing, cutOff }: { answerPing: () => void; cutOff: () => void }) {
    this.#answerPing = answerPing;
    this.#cutOff = cutOff;
  }

  /** @param seconds requested by the reader; 0 for none. */
  start(seconds: number): void {
    const silence = seconds * 1_500;
    if (silence > 0) {
      this.#timer = setInterval(() => this.#look(), silence / LOOKS);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  heard(): void {
    this.#silentLooks = 0;
  }

  hold(): void {
    this.#held += 1;
    this.#wasHeld = true;
  }

  release(): void {
    this.#held -= 1;
    if (this.#held === 0) {
      this.heard();
    }
  }

  #look(): void {
    this.#silentLooks += 1;
    if (this.#wasHeld) {
      this.#answerPing();
    } else if (this.#silentLooks > LOOKS) {
      this.#cutOff();
    }
    this.#wasHeld = this.#held > 0;
  }
}

/** Checks within the longest silence of one and a half keepalives: four per keepalive. */
const LOOKS = 6;

interface Parts {
  intake: Intake;
  held: HeldMessages;
  onThrottled(reader: RegisteredReader): void;
}

export class TakenPublishes {
  /** Counted since the start, as is the next. */
  received = 0;
  committed = 0;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @param done called without an error once the message is committed. */
  take(
    packet: PublishPacket,
    reader: RegisteredReader,
    connection: ReaderConnection | undefined,
    done: (error: Error | null) => void,
  ): void {
    const { intake, held, onThrottled } = this.#parts;
    const { topic, dup, qos, messageId } = packet;
    const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
    const owner = { orgId: reader.orgId, reader: reader.username };
    // Nothing subscribes here, so no message needs to be retained.
    packet.retain = false;
    const finish = (error: Error | null) => {
      // At QoS 2 the broker keeps the packet until the reader releases it, to recognize it by its identifier.
      packet.payload = NOTHING;
      connection?.release();
      held.leave(payload.length, owner);
      done(error);
    };
    this.received += 1;
    connection?.hold();
    const receive = () => {
      const throttledMs = connection?.admit() ?? 0;
      if (throttledMs > 0) {
        onThrottled(reader);
      }
      intake
        .receive(
          {
            topic,
            payload,
            isDup: dup,
            sender: `reader ${reader.readerId}`,
            packetId: qos === 0 ? null : (messageId ?? null),
            isStale: false,
            throttledMs,
            onDecoded: (reads) => connection?.chargeReads(reads),
          },
          reader,
        )
        .then(() => {
          this.committed += 1;
          finish(null);
        }, finish);
    };
    held.enter(payload.length, receive, owner);
  }
}

const NOTHING = Buffer.alloc(0);
