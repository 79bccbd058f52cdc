import mqtt from 'mqtt';
import { type EmbeddedIngest, startEmbeddedIngest } from '../../services/mqtt-ingest/ingest.ts';
import { MICROS_PER_DAY } from '../../services/shared/instant.ts';
import type { TestDatabase } from './database.ts';

export const TIME_RULES = { lateness: 30 * MICROS_PER_DAY, retention: 30 * MICROS_PER_DAY };

export interface TestIngest {
  port: number;
  /** What was logged, newest last. */
  log: { context: object; message: string }[];
  /** A reader's connection, logged in; ended after the suite's last test. */
  connect(username: string, options?: mqtt.IClientOptions): Promise<mqtt.MqttClient>;
}

/** Ingestion with its embedded broker on the suite's database. */
export function useIngest(database: TestDatabase): TestIngest {
  let ingest: EmbeddedIngest;
  const clients: mqtt.MqttClient[] = [];
  const log: TestIngest['log'] = [];
  const keep = (context: object, message: string) => log.push({ context, message });
  const use: TestIngest = {
    port: 0,
    log,
    connect: async (username, options) => {
      const client = connectReader(use.port, username, options);
      clients.push(client);
      await connected(client);
      return client;
    },
  };
  before(async () => {
    ingest = await startEmbeddedIngest({
      databaseUrl: database.url,
      host: '127.0.0.1',
      port: 0,
      rules: TIME_RULES,
      log: { info: keep, warn: keep, error: keep },
    });
    use.port = ingest.port;
  });
  database.beforeDrop(async () => {
    await Promise.all(clients.map((client) => client.endAsync(true)));
    await ingest?.stop();
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

/** Resolves when the broker has taken the client, rejects when it refuses. */
export function connected(client: mqtt.MqttClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('connect', () => resolve());
    client.once('error', reject);
  });
}
