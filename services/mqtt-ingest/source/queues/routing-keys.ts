/**
 * RabbitMQ's MQTT plugin publishes to an AMQP exchange: a topic's slashes are a routing key's dots there, and a filter's
 * plus sign is an asterisk. A dot in a topic is indistinguishable from a slash then.
 */
export function routingKeyOf(filter: string): string {
  return filter.replaceAll('/', '.').replaceAll('+', '*');
}

export function topicOf(routingKey: string): string {
  return routingKey.replaceAll('.', '/');
}

/** False for a topic or filter that stands for others in a routing key, or is too long for one. */
export function isRoutable(filter: string): boolean {
  return !/[.*]/.test(filter) && Buffer.byteLength(filter) <= LONGEST_KEY;
}

/** Bytes: AMQP 0.9.1 section 4.2.5.3. For a longer one the client throws, and answers nothing for those sent with it. */
const LONGEST_KEY = 255;
