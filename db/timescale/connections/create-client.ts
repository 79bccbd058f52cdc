import { Client } from './client.ts';
import { PooledClient } from './pooled-client.ts';
import type { ServiceConfig } from './service-connections.ts';

export function createClient(config: ServiceConfig): Client {
  return new (clientOf(config))(config);
}

/** The kind of client that the configuration is for. */
export function clientOf({ eachTransaction }: ServiceConfig): typeof Client {
  return eachTransaction === undefined ? Client : (PooledClient as unknown as typeof Client);
}
