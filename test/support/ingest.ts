import mqtt from 'mqtt';
import { pino } from 'pino';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../services/mqtt-ingest/ingest.ts';
import type { TestDatabase } from './database.ts';

export interface TestIngest {
  port: number;
  /** A reader's connection, logged in; ended after the suite's last test. */
  connect(username: string, options?: mqtt.IClientOptions): Promise<mqtt.MqttClient>;
}

export function ingestConfig(databaseUrl: string, port = 0, pushPort: number | null = null) {
  return {
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    MQTT_PORT: port,
    READER_MESSAGES_PER_SECOND: 2_000,
    READER_READS_PER_SECOND: 10_000,
    READER_BYTES_PER_SECOND: 4_194_304,
    READERS_PORT: pushPort,
    SIGN_IN_FAILURES_PER_MINUTE: 600,
    TRUSTED_PROXIES: [],
    LOG_REQUESTS: 'failed' as const,
    KAFKA_URL: null,
    KAFKA_TOPICS: [],
    KAFKA_GROUP: 'tagtrail',
    KAFKA_SASL: 'plain' as const,
    KAFKA_CA_FILE: null,
    // Tests have clocks of their own, years back, and retention goes by the database's.
    SCAN_RETENTION_DAYS: 36_500,
    LATENESS_DAYS: 30,
  };
}

/** Ingestion with its embedded broker on the suite's database. */
export function useIngest(database: TestDatabase): TestIngest {
  const log = pino({ level: 'silent' });
  const lifecycle = new Lifecycle(log);
  const clients: mqtt.MqttClient[] = [];
  const use: TestIngest = {
    port: 0,
    connect: async (username, options) => {
      const client = connectReader(use.port, username, options);
      clients.push(client);
      await connected(client);
      return client;
    },
  };
  before(async () => {
    use.port = (await startEmbeddedIngest(ingestConfig(database.url), log, lifecycle)).port;
  });
  database.beforeDrop(async () => {
    await Promise.all(clients.map((client) => client.endAsync(true)));
    await lifecycle.stop();
  });
  return use;
}

/** A reader as `Site.reader` makes them: user name and password are its name. */
export function connectReader(
  port: number,
  name: string,
  options: mqtt.IClientOptions = {},
): mqtt.MqttClient {
  return mqtt.connect(`mqtt://127.0.0.1:${port}`, {
    username: name,
    password: name,
    clientId: name,
    reconnectPeriod: 0,
    ...options,
  });
}

/** Resolves when the broker has taken the client, rejects when it refuses, or ends the connection without a word. */
export function connected(client: mqtt.MqttClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('connect', () => resolve());
    client.once('error', reject);
    client.once('close', () => reject(new Error('the connection was ended')));
  });
}

/** Resolves when the connection has ended, whoever ended it. */
export function closed(client: mqtt.MqttClient): Promise<void> {
  return new Promise((resolve) => {
    client.once('close', () => resolve());
  });
}

/**
 * Remembers what awaits its acknowledgement, as the library's own store does, and sets the DUP flag on what it sends
 * again (MQTT 3.1.1, [MQTT-3.3.1-1]), which the library's does not.
 */
export class FlaggingStore extends mqtt.Store {
  readonly #packets = new Set<Parameters<mqtt.Store['put']>[0]>();

  override put(...[packet, done]: Parameters<mqtt.Store['put']>): this {
    this.#packets.add(packet);
    return super.put(packet, done);
  }

  override createStream(): ReturnType<mqtt.Store['createStream']> {
    for (const packet of this.#packets) {
      if (packet.cmd === 'publish') {
        packet.dup = true;
      }
    }
    return super.createStream();
  }
}
