import { pino } from 'pino';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { type SubscribedIngestConfig, startSubscribedIngest } from '../../services/mqtt-ingest/ingest.ts';
import type { Subscriber } from '../../services/mqtt-ingest/source/subscriber.ts';
import type { TestDatabase } from './database.ts';
import { ingestConfig } from './ingest.ts';

export function subscribedConfig(
  databaseUrl: string,
  mqttUrl: string,
  settings: Partial<SubscribedIngestConfig> = {},
): SubscribedIngestConfig {
  return {
    ...ingestConfig(databaseUrl),
    MQTT_URL: mqttUrl,
    MQTT_CLIENT_ID: 'ingest',
    MQTT_VERSION: 'auto',
    MQTT_SHARED: 'auto',
    MQTT_SESSIONS: 4,
    MQTT_SHARED_GROUP: 'tagtrail',
    AMQP_URL: null,
    MQTT_CA_FILE: null,
    MQTT_CERT_FILE: null,
    MQTT_KEY_FILE: null,
    ...settings,
  };
}

export interface RunningIngest {
  subscriber: Subscriber;
  stop(): Promise<void>;
}

/** Ingestion from a broker; stopped before the database is dropped unless it was before. */
export async function startIngestOn(
  database: TestDatabase,
  mqttUrl: string,
  settings: Partial<SubscribedIngestConfig> = {},
  log = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }),
  parts: { keepalive?: number } = {},
): Promise<RunningIngest> {
  const lifecycle = new Lifecycle(log);
  const stop = () => lifecycle.stop();
  database.beforeDrop(stop);
  const config = subscribedConfig(database.url, mqttUrl, settings);
  const { subscriber } = await startSubscribedIngest(config, 0, log, lifecycle, parts);
  return { subscriber, stop };
}

/**
 * Resolves when the condition holds; the test's timeout is its bound. Where others are asked, who take a processor for their
 * answer, it looks less and less often.
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let pause = 5; ; ) {
    const answer = condition();
    if (await answer) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = answer === false ? pause : Math.min(30, pause * 1.3);
  }
}
