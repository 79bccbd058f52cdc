import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { createClient } from '@redis/client';
import type { Bucket } from './bucket.ts';
import { within } from './deadline.ts';
import type { Store } from './store.ts';
import type { Taken } from './take.ts';
import { takeCommand } from './take-script.ts';

/** Buckets on a Redis server, over one connection. Discarded once that is lost or closed. */
export interface RedisStore extends Store {
  /** @throws Error if the server does not answer within {@link ANSWER_MS}. */
  take(key: string, tokens: number): Promise<Taken>;
  close(): void;
}

/** Milliseconds for the server to accept a connection, and to answer. */
const ANSWER_MS = 250;
export const CONNECT_MS = 2_000;

/**
 * Connects and takes a token from a new bucket, so that an unsuitable server shows at once.
 *
 * The client's own reconnect and timeout are off: it resumes on a connection it never finds dead, and its timeout ends
 * when a command is written, not when it is answered.
 *
 * @param onLost called when an established connection is lost.
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

/** Sends the server's name (SNI), since many servers can share an address; Node.js does so for HTTPS only. */
function tlsOptions(url: string): { tls: true; servername?: string } | object {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'rediss:') {
    return {};
  }
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { tls: true, servername: hostname } : { tls: true };
}

/** Prefix of all keys, for servers that others use too. */
const PREFIX = 'tagtrail:rate-limit:';

/** Milliseconds between pings, for networks that drop silent connections. */
const PING_MS = 30_000;
