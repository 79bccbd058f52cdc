import { setTimeout as pause } from 'node:timers/promises';
import mqtt from 'mqtt';

/** Milliseconds without a message after which no more is expected. */
const QUIET = 5_000;
const LOOK_AGAIN = 20;

const EVERY = { clean: false, protocolVersion: 5, reconnectPeriod: 100, connectTimeout: 5_000 } as const;
const KEPT = { sessionExpiryInterval: 3_600 };

/** A client of the MQTT library with a persistent session, which acknowledges at once what it is handed, until it is to hold it. */
export class PlainConsumer {
  readonly got = new Set<number>();
  /** Those that came with DUP. */
  readonly gotAgain = new Set<number>();
  readonly #client: mqtt.MqttClient;
  readonly #filter: string;
  #heardAt = performance.now();
  #isHolding = false;

  private constructor(client: mqtt.MqttClient, filter: string) {
    this.#client = client;
    this.#filter = filter;
    client.on('error', () => {});
    client.handleMessage = (packet, acknowledge) => {
      const number = Number(String(packet.payload));
      this.#heardAt = performance.now();
      if (this.#isHolding) {
        this.held = number;
        return;
      }
      this.got.add(number);
      if (packet.dup) {
        this.gotAgain.add(number);
      }
      acknowledge();
    };
  }

  /** What it was handed and has not acknowledged. */
  held: number | null = null;

  /** @param receiveMaximum how many messages may be under way to it. */
  static async connect(
    port: number,
    { id, filter, receiveMaximum = 1_000 }: { id: string; filter: string; receiveMaximum?: number },
  ): Promise<PlainConsumer> {
    const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
      ...EVERY,
      clientId: id,
      properties: { ...KEPT, receiveMaximum },
    });
    const consumer = new PlainConsumer(client, filter);
    const { sessionPresent } = await new Promise<mqtt.IConnackPacket>((resolve) =>
      client.once('connect', resolve),
    );
    if (!sessionPresent) {
      await consumer.subscribe();
    }
    return consumer;
  }

  async subscribe(): Promise<void> {
    await this.#client.subscribeAsync(this.#filter, { qos: 1 });
  }

  /** From now on nothing is acknowledged. */
  hold(): void {
    this.#isHolding = true;
  }

  async untilConnected(): Promise<void> {
    while (!this.#client.connected) {
      await pause(LOOK_AGAIN);
    }
  }

  async untilQuiet(): Promise<void> {
    this.#heardAt = performance.now();
    while (performance.now() < this.#heardAt + QUIET) {
      await pause(LOOK_AGAIN);
    }
  }

  async end(): Promise<void> {
    await this.#client.endAsync(true);
  }
}

/** Another, which sends again what was not acknowledged to it. */
export class PlainPublisher {
  readonly acknowledged = new Set<number>();
  readonly #client: mqtt.MqttClient;

  private constructor(client: mqtt.MqttClient) {
    this.#client = client;
    client.on('error', () => {});
  }

  static async connect(port: number, id: string): Promise<PlainPublisher> {
    const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, { ...EVERY, clientId: id, properties: KEPT });
    await new Promise((resolve) => client.once('connect', resolve));
    return new PlainPublisher(client);
  }

  /** Messages with these numbers, some at a time. */
  async publish(topic: string, numbers: readonly number[]): Promise<void> {
    const left = numbers.values();
    const lane = async () => {
      for (const number of left) {
        await this.#client.publishAsync(topic, String(number), { qos: 1 });
        this.acknowledged.add(number);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  async end(): Promise<void> {
    await this.#client.endAsync(true);
  }
}

const LANES = 50;
