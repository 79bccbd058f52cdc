import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { createClient } from '@redis/client';
import type { Bucket } from './bucket.ts';
import { within } from './deadline.ts';
import type { Store } from './store.ts';
import type { Taken } from './take.ts';
import { takeCommand } from './take-script.ts';

/** Buckets on a Redis server, by one connection. Once that is lost or closed it is of no more use. */
export interface RedisStore extends Store {
  /** @throws Error if the server does not do it within {@link ANSWER_MS}. */
  take(key: string, tokens: number): Promise<Taken>;
  close(): void;
}

/** Milliseconds in which the server has to answer, and those in which it has to be connected to. */
export const ANSWER_MS = 250;
export const CONNECT_MS = 2_000;

/**
 * Connects, and takes a token from a new bucket, so that a server that cannot do what is wanted of it is known at
 * once.
 *
 * The client's own ways to reconnect and to time out are not used: it resumes on a connection it never finds dead,
 * and its timeout ends when a command is written, not when it is answered.
 *
 * @param onLost called when the connection is lost; not for a failed attempt to connect.
 */
export async function connectRedis(
  url: string,
  bucket: Bucket,
  onLost: (error: Error) => void,
): Promise<RedisStore> {
  const client = createClient({
    url,
    RESP: 2,
    scripts: { takeTokens: takeCommand() },
    maintNotifications: 'disabled',
    commandOptions: { timeout: 0 },
    pingInterval: PING_MS,
    socket: { ...tlsOptions(url), connectTimeout: CONNECT_MS, reconnectStrategy: false },
  });
  let isConnected = false;
  client.on('error', (error: Error) => {
    if (isConnected) {
      onLost(error);
    }
  });
  const take = async (key: string, tokens: number) =>
    within(ANSWER_MS, client.takeTokens(PREFIX + key, bucket, tokens));
  try {
    await within(CONNECT_MS, client.connect());
    await take(`probe:${randomUUID()}`, 1);
    await within(ANSWER_MS, client.ping());
  } catch (error) {
    client.destroy();
    throw error;
  }
  isConnected = true;
  return {
    take,
    close: () => {
      isConnected = false;
      client.destroy();
    },
  };
}

/** The server's name is sent along, since many servers can share an address; Node.js does so for HTTPS only. */
function tlsOptions(url: string): { tls: true; servername?: string } | object {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'rediss:') {
    return {};
  }
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { tls: true, servername: hostname } : { tls: true };
}

/** What the names of all keys begin with, for servers that serve others too. */
const PREFIX = 'tagtrail:rate-limit:';

/** Milliseconds between signs of life, for networks that drop connections without them. */
const PING_MS = 30_000;
