import mqtt from 'mqtt';
import type { InstalledReader } from './set-up.ts';

/** The readers' connections to the broker, one each, with the name and password of its registration. */
export interface Connections {
  /** Resolves when the broker has acknowledged, which it does when what it was told is stored. */
  publish(reader: string, payload: string, options?: { isDup: boolean }): Promise<void>;
  disconnect(reader: string): Promise<void>;
  reconnect(reader: string): Promise<void>;
  close(): Promise<void>;
}

/** @throws the client's error if the broker refuses one of them. */
export async function connectReaders(
  mqttUrl: string,
  readers: readonly InstalledReader[],
): Promise<Connections> {
  const clients = new Map<string, mqtt.MqttClient>();
  const connect = async (reader: InstalledReader) => {
    const { name, username, password } = reader;
    const client = await mqtt.connectAsync(mqttUrl, { username, password, clientId: name }, false);
    // It connects again by itself, and sends again what was not acknowledged.
    client.on('error', () => {});
    clients.set(name, client);
  };
  const close = async () => {
    await Promise.all([...clients.values()].map((client) => client.endAsync(true)));
  };
  const registered = (name: string) => {
    const reader = readers.find((each) => each.name === name);
    if (reader === undefined) {
      throw new RangeError(`no reader ${name}`);
    }
    return reader;
  };
  const connected = (name: string) => {
    const client = clients.get(name);
    if (client === undefined) {
      throw new RangeError(`reader ${name} is not connected`);
    }
    return client;
  };
  try {
    // The last one registered goes first: ingestion that knows it knows all that was set up before it, antennas too.
    for (const reader of readers.toReversed()) {
      await connect(reader);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    publish: async (name, payload, { isDup } = { isDup: false }) => {
      await connected(name).publishAsync(registered(name).topic, payload, { qos: 1, dup: isDup });
    },
    disconnect: async (name) => {
      await connected(name).endAsync();
      clients.delete(name);
    },
    reconnect: (name) => connect(registered(name)),
    close,
  };
}
