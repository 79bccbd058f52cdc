import { type CommandParser, defineScript } from '@redis/client';
import type { Bucket } from './bucket.ts';
import type { Taken } from './take.ts';

/**
 * `take` (take.ts) as a Redis script, by the server's clock. A key holds the microsecond since 1970 at which its bucket
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
export function takeCommand() {
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
