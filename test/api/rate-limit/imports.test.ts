import { expect } from 'chai';
import { itByNight } from '../../support/random-sets.ts';
import { useRedis } from '../../support/redis-server.ts';
import { type LimitedApi, useLimitedApis } from './limited-api.ts';

const ME = '/api/v1/orgs/me';

/** Slow enough that no token comes while a test runs. */
const LIMITS = { RATE_LIMIT_PER_MINUTE: 1, RATE_LIMIT_BURST: 20 };

describe('what an import costs of the rate limit', () => {
  const redis = useRedis();
  const apis = useLimitedApis();
  const file = (rows: number) =>
    `external_key,name\n${Array.from({ length: rows }, (_, row) => `IMP-${row},Box\n`).join('')}`;
  const assets = async () => {
    const [{ count } = { count: Number.NaN }] = await apis.database.rows<{ count: number }>(
      'select count(*)::integer as count from assets',
    );
    return count;
  };
  /** How many requests a caller can still make. */
  const left = async (api: LimitedApi, key: string) => {
    let requests = 0;
    while ((await api.get(ME, { key })).status === 200) {
      requests++;
    }
    return requests;
  };

  for (const [store, more, test] of [
    ['counted by this process', () => ({}), it],
    // Each change tries there what takes several tokens, and what is refused.
    ['shared through a server', () => ({ REDIS_URL: redis.url }), itByNight],
  ] as const) {
    describe(store, () => {
      let api: LimitedApi;
      let key: string;
      beforeEach(async () => {
        api = await apis.start({ ...LIMITS, ...more() });
        key = await apis.key(['assets:read', 'assets:write']);
      });

      for (const [rows, cost] of [
        [0, 1],
        [1_000, 1],
        [1_001, 2],
        [3_000, 3],
      ] as const) {
        (cost === 3 ? it : test)(`is ${cost} for ${rows} rows, dry or not`, async () => {
          for (const isDryRun of [true, false]) {
            expect(await api.upload(file(rows), { key, isDryRun })).to.include({ status: 200 });
          }
          expect(await left(api, key)).to.equal(20 - 2 * cost);
        });
      }

      test('counts what has no rows: a token for 128 KiB', async () => {
        const blank = `external_key,name\n${'\n'.repeat(3 * 131_072)}`;
        expect(await api.upload(blank, { key, isDryRun: true })).to.include({ status: 200 });
        expect(await left(api, key)).to.equal(20 - 4);
      });

      test('is what it began, also for rows and files that are wrong', async () => {
        const wrong = `external_key,name\n${'TWICE,Box\n'.repeat(1_500)}"never closed`;
        expect((await api.upload(wrong, { key })).status).to.equal(400);
        expect(await left(api, key)).to.equal(18);
      });

      it('is refused, with nothing written, where the bucket cannot pay all of it', async () => {
        for (let request = 0; request < 17; request++) {
          await api.get(ME, { key });
        }
        const before = await assets();
        const refused = await api.upload(file(3_001), { key });
        expect(refused).to.include({ status: 429, remaining: 1 });
        expect(refused.error).to.include({
          type: 'rate_limited',
          detail: `Retry after ${refused.retryAfter} seconds`,
        });
        // Two tokens are there and four are needed, the request's own among them: two minutes.
        expect(Number(refused.retryAfter)).to.be.within(100, 120);
        expect(await assets()).to.equal(before);
        expect(await left(api, key)).to.equal(2);
      });
    });
  }

  it('is one for 100 items of a batch begun', async () => {
    const api = await apis.start({ RATE_LIMIT_PER_MINUTE: 3, RATE_LIMIT_BURST: 3 });
    const key = await apis.key(['assets:write']);
    const items = Array.from({ length: 201 }, (_, index) => ({ external_key: `B-${index}`, name: 'Box' }));
    const send = (some: object[]) =>
      fetch(`${api.url}/api/v1/assets/batch`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ items: some }),
      });
    expect((await send(items.slice(0, 100))).headers.get('x-ratelimit-remaining')).to.equal('2');
    expect((await send(items)).status).to.equal(429);
    expect((await send(items.slice(100))).headers.get('x-ratelimit-remaining')).to.equal('0');
  });

  it('shows in what remains, and is never more than a full bucket', async () => {
    const api = await apis.start({ RATE_LIMIT_PER_MINUTE: 3, RATE_LIMIT_BURST: 3 });
    const key = await apis.key(['assets:write']);
    expect(await api.upload(file(1_001), { key, isDryRun: true })).to.include({ status: 200, remaining: 1 });
    const other = await apis.key(['assets:write']);
    expect(await api.upload(file(5_000), { key: other, isDryRun: true })).to.include({
      status: 200,
      remaining: 0,
    });
  });
});
