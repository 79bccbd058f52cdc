import { DefaultMessageIdProvider } from 'mqtt';

/** Remembers what each reader sent, so that it can resend a message under its packet identifier, as MQTT demands. */
export class SentMessages {
  readonly #readers = new Map<string, { ids: PacketIds; sent: Map<string, Sent> }>();

  idsOf(reader: string): DefaultMessageIdProvider {
    return this.#of(reader).ids;
  }

  /** @param publish called at once, except for a resend, which waits for the acknowledgement of the original. */
  async send(
    reader: string,
    { topic, payload, isDup }: { topic: string; payload: string; isDup: boolean },
    publish: (topic: string) => Promise<unknown>,
  ): Promise<void> {
    const { ids, sent } = this.#of(reader);
    const key = `${topic}\0${payload}`;
    const earlier = isDup ? sent.get(key) : undefined;
    if (earlier !== undefined) {
      // The client library finds who waits for an acknowledgement by the identifier alone.
      await earlier.acknowledged.catch(() => {});
      ids.repeat(earlier.packetId);
    }
    const acknowledged = publish(topic);
    sent.delete(key);
    sent.set(key, { packetId: ids.last, acknowledged });
    const [oldest] = sent.keys();
    if (sent.size > MOST_REMEMBERED && oldest !== undefined) {
      sent.delete(oldest);
    }
    await acknowledged;
  }

  #of(reader: string) {
    const known = this.#readers.get(reader) ?? { ids: new PacketIds(), sent: new Map<string, Sent>() };
    this.#readers.set(reader, known);
    return known;
  }
}

interface Sent {
  packetId: number;
  acknowledged: Promise<unknown>;
}

class PacketIds extends DefaultMessageIdProvider {
  last = 0;
  #repeated: number | null = null;

  /** Makes the next message use this identifier. */
  repeat(id: number): void {
    this.#repeated = id;
  }

  override allocate(): number {
    this.last = this.#repeated ?? super.allocate();
    this.#repeated = null;
    return this.last;
  }
}

/** Per reader; resends come soon. */
const MOST_REMEMBERED = 1_000;
