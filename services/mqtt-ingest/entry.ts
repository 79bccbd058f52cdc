/** The entry for other processes: the command line, and the process that runs every service. */

import type { KafkaAddress } from './source/kafka/kafka-settings.ts';

export { type Replay, replay } from '../../domain/messages/replay.ts';
export { startEmbeddedIngest, startSubscribedIngest } from './ingest.ts';
export { placeOfBroker } from './source/broker-address.ts';
export { queuesOf } from './source/broker-settings.ts';
export { kafkaOf } from './source/kafka/kafka-settings.ts';
export { placeOfNode, type QueueAddress, type QueueBroker } from './source/queue-address.ts';

export type { KafkaAddress };

/** The configured topics that Kafka lacks. Its client takes long to load. @throws Error if it refuses the login. */
export async function missingKafkaTopics(
  address: KafkaAddress,
  patience: number,
): Promise<readonly string[]> {
  const { missingTopics } = await import('./source/kafka/kafka-client.ts');
  return missingTopics(address, patience);
}
