import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { type CommandParser, createClient, defineScript } from '@redis/client';
import type { Bucket, Store, Taken } from './bucket.ts';

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

/**
 * Awaits `work` for at most `milliseconds`, counted in two halves, because one timer cannot tell which side was late: a
 * stall of this process uses up one half, and in the other it reads everything that arrived.
 *
 * @throws the error of `work`, or a timeout Error.
 */
export async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  let timer = setTimeout(() => {
    timer = setTimeout(() => late.reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds / 2);
  }, milliseconds / 2);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * `take` (bucket.ts) as a Redis script, by the server's clock. A key holds the microsecond since 1970 at which its bucket
 * is full, and expires then. It is set by redis.call, which writes numbers in full; Lua's tostring would round them to
 * 14 digits.
 */
export const TAKE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval, capacity, tokens = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local fullAt = tonumber(redis.call('GET', KEYS[1])) or now
local debt = math.min(math.max(fullAt - now, 0), capacity)
local cost = tokens * interval
if debt + cost > capacity then
  return {0, debt}
end
debt = debt + cost
redis.call('SET', KEYS[1], now + debt, 'PX', math.ceil(debt / 1000))
return {1, debt}
`;

/** Registers the script: the client sends its digest, and its text if the server has forgotten it. */
function takeCommand() {
  return defineScript({
    SCRIPT: TAKE_SCRIPT,
    NUMBER_OF_KEYS: 1,
    parseCommand: (parser: CommandParser, key: string, { interval, capacity }: Bucket, tokens: number) => {
      parser.pushKey(key);
      parser.push(String(interval), String(capacity), String(tokens));
    },
    transformReply: ([isAllowed, debt]: [number, number]): Taken => ({ isAllowed: isAllowed === 1, debt }),
  });
}
