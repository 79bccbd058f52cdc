import type { MqttClient } from 'mqtt';
import { connectReader, FlaggingStore } from '../support/ingest.ts';
import { messageOf, payloadOf, readerName, type Traffic } from './traffic.ts';

export interface Sending {
  /** Acknowledged to the reader by whatever it is connected to. */
  readonly acknowledged: ReadonlySet<number>;
  /** How many messages have been published, the same again not counted. */
  readonly published: number;
  /** Connections that ended before they were to. */
  readonly disconnects: number;
  /** Resolves when the reader has its acknowledgement, however long that takes. */
  publish(index: number): Promise<void>;
  end(): Promise<void>;
}

/**
 * The readers: each keeps what is not acknowledged and sends it again, with the DUP flag, on its next connection. One
 * message in twenty is published twice on purpose, unless it has no times.
 */
export class Publishers implements Sending {
  readonly acknowledged = new Set<number>();
  published = 0;
  disconnects = 0;
  readonly #traffic: Traffic;
  readonly #clients: MqttClient[];
  #isEnding = false;

  private constructor(traffic: Traffic, clients: MqttClient[]) {
    this.#traffic = traffic;
    this.#clients = clients;
    for (const client of clients) {
      client.on('error', () => {});
      client.on('close', () => {
        this.disconnects += this.#isEnding ? 0 : 1;
      });
    }
  }

  /** @param keepalive in seconds. */
  static async connect(traffic: Traffic, port: number, keepalive: number): Promise<Publishers> {
    const clients = Array.from({ length: traffic.readers }, (_, reader) =>
      connectReader(port, readerName(reader), {
        clean: false,
        keepalive,
        reconnectPeriod: 50,
        reconnectOnConnackError: true,
        connectTimeout: 2_000,
        outgoingStore: new FlaggingStore(),
      }),
    );
    await Promise.all(clients.map((client) => new Promise((resolve) => client.once('connect', resolve))));
    return new Publishers(traffic, clients);
  }

  /** Publishes a message at QoS 1. */
  async publish(index: number): Promise<void> {
    const message = messageOf(this.#traffic, index);
    const client = this.#clients[message.reader] as MqttClient;
    const topic = readerName(message.reader);
    const payload = payloadOf(message);
    const isTwice = message.kind === 'timed' && index % 20 === 3;
    this.published += 1;
    await Promise.all(Array.from({ length: isTwice ? 2 : 1 }, () => this.#send(client, topic, payload)));
    this.acknowledged.add(index);
  }

  /**
   * The library gives up what it is handed when its connection ends while it is sending its store again. It has sent
   * nothing of it then.
   */
  async #send(client: MqttClient, topic: string, payload: string): Promise<void> {
    for (;;) {
      try {
        await client.publishAsync(topic, payload, { qos: 1 });
        return;
      } catch (error) {
        if (this.#isEnding) {
          throw error;
        }
      }
    }
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#clients.map((client) => client.endAsync(true)));
  }
}
