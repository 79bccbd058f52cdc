import type { Registry } from 'prom-client';
import type { KafkaFigures } from '../source/kafka/kafka-source.ts';
import { measureFigures } from './measure-figures.ts';

/** Also without Kafka, so that dashboards and alerts find them. */
export function measureKafka(registry: Registry, figures: () => KafkaFigures): void {
  measureFigures(registry, figures, { gauges: GAUGES, counters: COUNTERS });
}

const GAUGES = [
  ['tagtrail_kafka_lag_records', 'Records of Kafka that this process has not recorded.', 'lag'],
  ['tagtrail_kafka_held_messages', 'Records of Kafka taken and not committed yet.', 'heldMessages'],
] as const;

const COUNTERS = [
  ['tagtrail_kafka_received_messages_total', 'Records taken from Kafka, repetitions included.', 'received'],
  ['tagtrail_kafka_committed_messages_total', 'Records of Kafka committed.', 'committed'],
] as const;
