import type { Logger } from 'pino';
import type { Registry as MetricRegistry } from 'prom-client';
import type { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { measureKafka } from './metrics/measure-kafka.ts';
import { type KafkaConfig, kafkaOf } from './source/kafka/kafka-settings.ts';
import type { KafkaSource } from './source/kafka/kafka-source.ts';
import { DRAIN_PATIENCE, type StartedIntake } from './start-intake.ts';

/** Takes records of Kafka, besides what comes from the broker. @returns null if none is configured. */
export async function startKafka(
  config: KafkaConfig,
  { intake, registry }: Pick<StartedIntake, 'intake' | 'registry'>,
  {
    log,
    lifecycle,
    metrics,
    clientId,
  }: { log: Logger; lifecycle: Lifecycle; metrics: MetricRegistry; clientId: string },
): Promise<KafkaSource | null> {
  const address = kafkaOf(config);
  if (address === null) {
    measureKafka(metrics, () => NONE);
    return null;
  }
  // Loaded on demand, as brokers are.
  const { startKafkaSource } = await import('./source/kafka/kafka-source.ts');
  const source = await lifecycle.start(
    'Kafka',
    () => startKafkaSource({ address, clientId, intake, registry, log }),
    (started) => started.stop(DRAIN_PATIENCE),
  );
  measureKafka(metrics, () => source.figures());
  return source;
}

const NONE = { isConnected: false, received: 0, committed: 0, heldMessages: 0, lag: 0 };
