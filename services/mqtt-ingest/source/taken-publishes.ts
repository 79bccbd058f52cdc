import type { PublishPacket } from 'aedes';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import type { Intake } from '../intake/intake.ts';
import type { HeldMessages } from './held-messages.ts';
import type { ReaderConnection } from './reader-connection.ts';

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
