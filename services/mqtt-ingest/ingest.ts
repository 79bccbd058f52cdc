import type { Logger } from 'pino';
import type { Lifecycle } from '../shared/runtime/lifecycle.ts';
import { loadRetiredTopics } from './registry/load-retired-topics.ts';
import { type BrokerConfig, brokerOptions } from './source/broker-settings.ts';
import { startEmbeddedBroker } from './source/embedded-broker.ts';
import { readersLog } from './source/readers-log.ts';
import { type Subscriber, type SubscriberOptions, startSubscriber } from './source/subscriber.ts';
import {
  DRAIN_PATIENCE,
  type IntakeConfig,
  type IntakeParts,
  type StartedIntake,
  startIntake,
} from './start-intake.ts';

export interface EmbeddedIngestConfig extends IntakeConfig {
  HOST: string;
  /** 0 picks a free one. */
  MQTT_PORT: number;
  READER_MESSAGES_PER_SECOND: number;
  READER_BYTES_PER_SECOND: number;
}

/**
 * Starts ingestion through a broker of its own, part by part. Stopping commits and acknowledges what was received.
 *
 * @returns the port readers connect to.
 * @throws AppError if the database is not there or not migrated, or the port is taken.
 */
export async function startEmbeddedIngest(
  config: EmbeddedIngestConfig,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<{ port: number }> {
  const { intake, registry } = await startIntake(config, log, lifecycle);
  const broker = await lifecycle.start(
    'broker',
    () =>
      startEmbeddedBroker({
        host: config.HOST,
        port: config.MQTT_PORT,
        intake,
        registry,
        quota: {
          messagesPerSecond: config.READER_MESSAGES_PER_SECOND,
          bytesPerSecond: config.READER_BYTES_PER_SECOND,
        },
        ...readersLog(log, registry),
      }),
    (started) => started.stop(() => intake.drain(DRAIN_PATIENCE)),
  );
  log.info({ port: broker.port }, 'readers can connect');
  return { port: broker.port };
}

export interface SubscribedIngestConfig extends IntakeConfig, BrokerConfig {
  MQTT_URL: string;
}

/**
 * Starts ingestion from the broker at MQTT_URL, part by part. A broker that is not there is waited for. Stopping
 * commits and acknowledges what was received; the broker keeps the rest.
 *
 * @param port a port of this process, which tells it from others on this machine.
 * @throws AppError if the database is not there or not migrated.
 */
export async function startSubscribedIngest(
  config: SubscribedIngestConfig,
  port: number,
  log: Logger,
  lifecycle: Lifecycle,
  { keepalive, ...parts }: IntakeParts & Pick<SubscriberOptions, 'keepalive'> = {},
): Promise<StartedIntake & { subscriber: Subscriber }> {
  const started = await startIntake(config, log, lifecycle, parts);
  const { intake, registry, pool } = started;
  const subscriber = await lifecycle.start(
    'subscriber',
    () =>
      startSubscriber({
        ...brokerOptions(config, port),
        sessionExpiry: config.LATENESS_DAYS * SECONDS_PER_DAY,
        intake,
        registry,
        pool,
        ...(keepalive === undefined ? {} : { keepalive }),
        retiredTopics: () => loadRetiredTopics(pool),
        log,
      }),
    (running) => running.stop(() => intake.drain(DRAIN_PATIENCE)),
  );
  return { ...started, subscriber };
}

const SECONDS_PER_DAY = 86_400;
