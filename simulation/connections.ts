import mqtt, { DefaultMessageIdProvider } from 'mqtt';

export interface ConnectedReader {
  name: string;
  topic: string;
  /** Null if the broker's URL has the credentials. */
  login: { username: string; password: string } | null;
}

export interface Connections {
  /**
   * Resolves when the broker has acknowledged.
   *
   * @param options.isDup resends the previous message under its packet identifier.
   * @param options.topic if not the reader's own.
   */
  publish(reader: string, payload: string, options?: { isDup?: boolean; topic?: string }): Promise<void>;
  disconnect(reader: string): Promise<void>;
  reconnect(reader: string): Promise<void>;
  close(): Promise<void>;
}

/** The broker takes the login for the client id, so of many with one login it keeps the last. */
export class OneClientPerLogin extends Error {}

/**
 * @param onLost called when a connection breaks; unacknowledged messages are sent again then.
 * @throws the client's error if the broker refuses a reader; OneClientPerLogin.
 */
export async function connectReaders(
  mqttUrl: string,
  readers: readonly ConnectedReader[],
  onLost: (reader: string) => void = () => {},
): Promise<Connections> {
  const clients = new Map<string, mqtt.MqttClient>();
  const sent = new SentMessages();
  const byName = new Map(readers.map((reader) => [reader.name, reader]));
  const connect = async ({ name, login }: ConnectedReader) => {
    const client = await mqtt.connectAsync(
      mqttUrl,
      { ...login, clientId: name, messageIdProvider: sent.idsOf(name) },
      false,
    );
    // It connects again by itself, and sends again what was not acknowledged.
    client.on('error', () => {});
    client.on('close', () => {
      if (!client.disconnecting) {
        onLost(name);
      }
    });
    clients.set(name, client);
  };
  const close = async () => {
    await Promise.all([...clients.values()].map((client) => client.endAsync(true)));
  };
  const registered = (name: string) => presentIn(byName, name, 'registered');
  const connected = (name: string) => presentIn(clients, name, 'connected');
  try {
    // The last one registered goes first: ingestion that knows it knows all that was set up before it, antennas too.
    for (const reader of readers.toReversed()) {
      await connect(reader);
    }
    const [first] = clients.values();
    if (clients.size > 1 && readers[0]?.login === null && first !== undefined) {
      await requireKept(first);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    publish: async (name, payload, { isDup = false, topic } = {}) => {
      const client = connected(name);
      await sent.send(name, { topic: topic ?? registered(name).topic, payload, isDup }, (to) =>
        client.publishAsync(to, payload, { qos: 1, dup: isDup }),
      );
    },
    disconnect: async (name) => {
      await connected(name).endAsync();
      clients.delete(name);
    },
    reconnect: (name) => connect(registered(name)),
    close,
  };
}

function presentIn<Value>(all: ReadonlyMap<string, Value>, name: string, as: string): Value {
  const value = all.get(name);
  if (value === undefined) {
    throw new RangeError(`reader ${name} is not ${as}`);
  }
  return value;
}

/** Call when others have connected: a broker ends the earlier connection before it accepts the next one. */
function requireKept(client: mqtt.MqttClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('close', () => reject(new OneClientPerLogin()));
    client.on('packetreceive', ({ cmd }) => cmd === 'pingresp' && resolve());
    if (client.connected) {
      client.sendPing();
    } else {
      reject(new OneClientPerLogin());
    }
  });
}

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
