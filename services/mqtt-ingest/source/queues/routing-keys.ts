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

/** False for a topic or filter that stands for others in a routing key. */
export function isRoutable(filter: string): boolean {
  return !/[.*]/.test(filter);
}
