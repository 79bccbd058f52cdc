import type { BrokerAddress } from '../broker-address.ts';
import type { QueueBroker } from '../queue-address.ts';
import type { Connect } from '../session.ts';

/** @param queues null to be a client of MQTT. */
export async function connectorTo({
  address,
  queues,
}: {
  address: BrokerAddress;
  queues: QueueBroker | null;
}): Promise<Connect> {
  if (queues === null) {
    const { openConnection } = await import('../broker-connection.ts');
    return (options) => openConnection({ ...options, address });
  }
  const { openQueueConnection } = await import('./queue-connection.ts');
  const { nodes, tls } = queues;
  let attempts = Math.floor(Math.random() * nodes.length);
  return (options) => {
    const node = nodes[attempts++ % nodes.length] as (typeof nodes)[number];
    return openQueueConnection({
      ...options,
      address: node,
      tls,
      queue: options.will === null ? options.clientId : null,
    });
  };
}
