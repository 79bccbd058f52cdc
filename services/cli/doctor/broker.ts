import { connect } from 'amqplib';
import { connectAsync, ErrorWithReasonCode } from 'mqtt';
import { messageOf } from '../../../base/errors.ts';
import { type Finding, fault, ok, warning } from '../../../domain/health/finding.ts';
import {
  type KafkaAddress,
  missingKafkaTopics,
  placeOfNode,
  type QueueAddress,
  type QueueBroker,
} from '../../mqtt-ingest/entry.ts';

/** Milliseconds. */
const PATIENCE = 5_000;

export async function examineBroker(url: string): Promise<Finding> {
  const { host } = new URL(url);
  try {
    const client = await connectAsync(url, { connectTimeout: PATIENCE, reconnectPeriod: 0 }, false);
    await client.endAsync();
    return ok('broker', `The broker at ${host} lets us in`);
  } catch (error) {
    const isRefusal = error instanceof ErrorWithReasonCode;
    return fault(
      'broker',
      `The broker at ${host} ${isRefusal ? 'refuses us' : 'cannot be reached'}: ${messageOf(error)}`,
      isRefusal
        ? 'Correct the user and password in MQTT_URL, or the accounts of the broker'
        : 'Start the broker, or correct MQTT_URL',
    );
  }
}

const CHECK = 'queues';

/** Tries every node of RabbitMQ: ingestion needs one. */
export async function examineQueues({ nodes, tls }: QueueBroker): Promise<Finding> {
  const tried = await Promise.all(nodes.map((node) => tryNode(node, tls)));
  const faults = tried.flatMap((reason) => reason ?? []);
  if (faults.length === 0) {
    return ok(CHECK, `RabbitMQ lets us in at ${nodes.map(placeOfNode).join(', ')}`);
  }
  const isAnyThere = faults.length < nodes.length;
  return (isAnyThere ? warning : fault)(
    CHECK,
    `RabbitMQ does not let us in: ${faults.join('; ')}`,
    'Start it, or correct AMQP_URL: its addresses, user and password, and the virtual host after the last slash',
  );
}

/** @returns why it does not let us in; null if it does. */
async function tryNode(node: QueueAddress, tls: QueueBroker['tls']): Promise<string | null> {
  try {
    const connection = await connect(node, { ...tls, timeout: PATIENCE });
    // An error without a listener would end the command.
    connection.on('error', () => {});
    await connection.close();
    return null;
  } catch (error) {
    return `${placeOfNode(node)}: ${messageOf(error)}`;
  }
}

export async function examineKafka(address: KafkaAddress): Promise<Finding> {
  const where = address.brokers.map(({ host, port }) => `${host}:${port}`).join(', ');
  try {
    const missing = await missingKafkaTopics(address, PATIENCE);
    return missing.length === 0
      ? ok('kafka', `Kafka lets us in at ${where}`)
      : warning(
          'kafka',
          `Kafka at ${where} has no topic ${missing.join(', ')}`,
          'Make it, or correct KAFKA_TOPICS; or let the user of KAFKA_URL describe and read it',
        );
  } catch (error) {
    return fault(
      'kafka',
      `Kafka does not let us in at ${where}: ${messageOf(error)}`,
      'Start it, or correct KAFKA_URL (addresses, user and password, kafkas:// for TLS), KAFKA_SASL or KAFKA_CA_FILE',
    );
  }
}
