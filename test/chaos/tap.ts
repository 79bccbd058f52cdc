import { EventEmitter, once } from 'node:events';
import { type Packet, parser } from 'mqtt-packet';
import type { Observer } from '../support/link.ts';
import { indexOf } from './traffic.ts';

/** Messages that one end of a connection has sent and the other has not acknowledged, and the other way about. */
interface Direction {
  connection: number;
  /** The session's client identifier. */
  sender: string;
  underWay: Map<number, number>;
  others: Map<number, number>;
}

/**
 * Reads along where ingestion takes its messages and acknowledges them, and so knows what it was handed, what it
 * promised and when.
 */
export class Tap {
  /**
   * How often each message was handed over as something new (rule 3 of docs/tracking.md): without the DUP flag, or with it
   * by a sender that had not used its packet identifier for it. The latter comes of deliveries that a network swallowed.
   */
  readonly handedOverAsNew = new Map<number, number>();
  /** Messages handed over as new in spite of the DUP flag. */
  swallowed = 0;
  readonly #handedOver = new Set<string>();
  /** Messages that ingestion has acknowledged at least once. */
  readonly acknowledged = new Set<number>();
  /** Acknowledgements, also of what was acknowledged before. */
  acknowledgements = 0;
  deliveries = 0;
  readonly #events = new EventEmitter().setMaxListeners(0);
  #connections = 0;

  /** Resolves when something is acknowledged. */
  async nextAcknowledgement(): Promise<void> {
    await once(this.#events, 'acknowledged');
  }

  /** Resolves when something is acknowledged on a connection that is made from now on. */
  async nextOnNewConnection(): Promise<void> {
    const last = this.#connections;
    let [connection] = await once(this.#events, 'acknowledged');
    while (connection <= last) {
      [connection] = await once(this.#events, 'acknowledged');
    }
  }

  /** Acknowledged by an answer over HTTP. Its sender gives each message a key, so it is handed over as new once. */
  noteAnswer(index: number): void {
    this.#connections += 1;
    this.deliveries += 1;
    this.handedOverAsNew.set(index, 1);
    this.acknowledged.add(index);
    this.acknowledgements += 1;
    this.#events.emit('acknowledged', this.#connections);
  }

  /** Of one connection. Messages go one way, their acknowledgements the other. */
  observe(): Observer {
    this.#connections += 1;
    const connection = this.#connections;
    const sender = { id: '', protocolVersion: 4 };
    const toServer = new Map<number, number>();
    const toClient = new Map<number, number>();
    const reading = (underWay: Map<number, number>, others: Map<number, number>) => {
      let packets: ReturnType<typeof parser> | null = null;
      return (bytes: Buffer) => {
        packets ??= parser({ protocolVersion: sender.protocolVersion }).on('packet', (packet: Packet) => {
          if (packet.cmd === 'connect') {
            sender.protocolVersion = packet.protocolVersion ?? 4;
            sender.id = packet.clientId;
          }
          this.#note(packet, { connection, sender: sender.id, underWay, others });
        });
        packets.parse(bytes);
      };
    };
    return { fromClient: reading(toServer, toClient), fromServer: reading(toClient, toServer) };
  }

  #note(packet: Packet, { connection, sender, underWay, others }: Direction): void {
    if (packet.cmd === 'publish' && packet.messageId !== undefined) {
      const index = Buffer.isBuffer(packet.payload) ? indexOf(packet.payload) : null;
      if (index !== null) {
        underWay.set(packet.messageId, index);
        this.deliveries += 1;
        const key = `${sender} ${packet.messageId} ${index}`;
        if (!packet.dup || !this.#handedOver.has(key)) {
          this.swallowed += packet.dup ? 1 : 0;
          this.#handedOver.add(key);
          this.handedOverAsNew.set(index, (this.handedOverAsNew.get(index) ?? 0) + 1);
        }
      }
    } else if (packet.cmd === 'puback' && packet.messageId !== undefined) {
      const index = others.get(packet.messageId);
      if (index !== undefined) {
        others.delete(packet.messageId);
        this.acknowledged.add(index);
        this.acknowledgements += 1;
        this.#events.emit('acknowledged', connection);
      }
    }
  }
}
