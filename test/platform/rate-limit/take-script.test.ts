import { createClient } from '@redis/client';
import { expect } from 'chai';
import fc from 'fast-check';
import { bucketOf, take } from '../../../platform/rate-limit/bucket.ts';
import { TAKE_SCRIPT } from '../../../platform/rate-limit/redis-store.ts';
import { useRedis } from '../../support/redis-server.ts';

describe('taking a token on the server', () => {
  const redis = useRedis();
  const [OWN_CLOCK, CLOCK_OF_TEST] = ["redis.call('TIME')", '{ARGV[4], ARGV[5]}'];
  const script = TAKE_SCRIPT.replace(OWN_CLOCK, CLOCK_OF_TEST);

  it('comes to the same as taking it here, by the microsecond', async () => {
    expect(script).to.include(CLOCK_OF_TEST);
    const client = await createClient({ url: redis.url }).connect();
    let names = 0;
    try {
      await fc.assert(
        fc.asyncProperty(
          // Few a minute: the server forgets a full bucket by its own clock, which must not happen meanwhile.
          fc.integer({ min: 1, max: 20 }),
          fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 120_000 })),
          fc.array(
            fc.tuple(
              fc.double({ min: 0, max: 2, noNaN: true }),
              fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 50 })),
            ),
            { minLength: 1, maxLength: 20 },
          ),
          async (perMinute, burst, pauses) => {
            const bucket = bucketOf(perMinute, burst);
            const name = `script-${names++}`;
            let now = Date.now() * 1000 + 7;
            let fullAt = now;
            for (const [pause, tokens] of pauses) {
              now += Math.floor(pause * bucket.interval);
              const taken = take(fullAt, now, bucket, tokens);
              fullAt = now + taken.debt;
              const time = [String(Math.floor(now / 1e6)), String(now % 1e6)];
              const rules = [String(bucket.interval), String(bucket.capacity), String(tokens)];
              const reply = await client.eval(script, { keys: [name], arguments: [...rules, ...time] });
              expect(reply).to.deep.equal([taken.isAllowed ? 1 : 0, taken.debt]);
              // Of a bucket that is full, nothing or a time that has passed.
              expect(Math.max(Number(await client.get(name)), now)).to.equal(fullAt);
            }
          },
        ),
        { numRuns: 100 },
      );
    } finally {
      client.destroy();
    }
  });

  it('takes a bucket for empty at worst, for full if it makes no sense, and keeps it until it is full', async () => {
    const client = await createClient({ url: redis.url }).connect();
    const { interval, capacity } = bucketOf(1, 120_000);
    const now = Date.now() * 1000;
    const taken = async (stored: string) => {
      await client.set('odd', stored);
      const reply = await client.eval(script, {
        keys: ['odd'],
        arguments: [
          String(interval),
          String(capacity),
          '1',
          String(Math.floor(now / 1e6)),
          String(now % 1e6),
        ],
      });
      return [reply, await client.pTTL('odd')];
    };
    try {
      expect(await taken(String(now + 2 * capacity))).to.deep.equal([[0, capacity], -1]);
      expect((await taken('nonsense'))[0]).to.deep.equal([1, interval]);
      const [reply, milliseconds] = await taken(String(now + capacity - interval));
      expect(reply).to.deep.equal([1, capacity]);
      expect(milliseconds).to.be.within(capacity / 1000 - 10_000, capacity / 1000);
    } finally {
      client.destroy();
    }
  });
});
