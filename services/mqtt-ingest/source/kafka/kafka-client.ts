import { Admin } from '@platformatic/kafka';
import { messageOf } from '../../../../base/errors.ts';
import type { KafkaAddress } from './kafka-settings.ts';

/** Options of every Kafka client. */
export function kafkaClientOf({ brokers, tls, login }: KafkaAddress) {
  return {
    bootstrapBrokers: [...brokers],
    ...(tls === null ? {} : { tls }),
    ...(login === null ? {} : { sasl: { ...login, mechanism: MECHANISMS[login.mechanism] } }),
  };
}

const MECHANISMS = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
} as const;

/**
 * Asks for the topics of Kafka.
 *
 * @returns those of ours that are not there.
 * @throws Error with the reason if it does not let us in.
 */
export async function missingTopics(address: KafkaAddress, patience: number): Promise<readonly string[]> {
  const admin = new Admin({
    clientId: 'tagtrail-doctor',
    ...kafkaClientOf(address),
    retries: 0,
    timeout: patience,
    connectTimeout: patience,
  });
  try {
    const there = await admin.listTopics();
    return address.topics.filter((topic) => !there.includes(topic));
  } catch (error) {
    throw new Error(messageOf(rootOf(error)), { cause: error });
  } finally {
    await admin.close().catch(() => {});
  }
}

/** The client wraps an error, such as a refused connection, several times; this returns the innermost one. */
export function rootOf(error: unknown): unknown {
  for (let root = error; ; ) {
    const { errors, cause } = root as { errors?: readonly unknown[]; cause?: unknown };
    const inner = errors?.at(-1) ?? cause;
    if (!(inner instanceof Error)) {
      return root;
    }
    root = inner;
  }
}
