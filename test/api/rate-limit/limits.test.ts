import { expect } from 'chai';
import { type LimitedApi, useLimitedApis } from './limited-api.ts';

const ME = '/api/v1/orgs/me';
const SECOND = 1_000_000;

describe('the rate limit of the API', () => {
  const apis = useLimitedApis();
  let monotonic: number;
  let wallMs: number;
  let api: LimitedApi;
  let key: string;
  const clocks = { monotonic: () => monotonic, wall: () => wallMs };
  const pass = (micros: number) => {
    monotonic += micros;
    wallMs += micros / 1000;
  };
  const now = () => Math.floor(wallMs / 1000);
  const spend = async (requests: number) => {
    for (let request = 0; request < requests; request++) {
      expect((await api.get(ME, { key })).status).to.equal(200);
    }
  };
  beforeEach(async () => {
    monotonic = 123_456_789;
    wallMs = 1_791_936_000_000;
    api = await apis.start({}, clocks);
    key = await apis.key();
  });

  it('lets 120 requests through at once, and says after each what remains', async () => {
    for (let request = 1; request <= 120; request++) {
      const { status, ...budget } = await api.get(ME, { key });
      const left = 120 - request;
      expect(status).to.equal(200);
      expect(budget, `after request ${request}`).to.deep.equal({
        limit: 60,
        remaining: Math.min(60, left),
        reset: now() + Math.max(0, 60 - left),
        retryAfter: null,
        error: null,
      });
    }
  });

  it('refuses the 121st with the envelope and all headers, and lets one through when a token is there', async () => {
    await spend(120);
    pass(250_000);
    const { error, ...refused } = await api.get(ME, { key });
    expect(refused).to.deep.equal({
      status: 429,
      limit: 60,
      remaining: 0,
      reset: now() + 60,
      retryAfter: '1',
    });
    expect(error).to.deep.include({
      type: 'rate_limited',
      title: 'Rate limited',
      status: 429,
      detail: 'Retry after 1 seconds',
      instance: ME,
    });
    pass(749_999);
    expect((await api.get(ME, { key })).status).to.equal(429);
    pass(1);
    expect(await api.get(ME, { key })).to.include({ status: 200, remaining: 0, reset: now() + 60 });
    expect((await api.get(ME, { key })).status).to.equal(429);
  });

  it('gives 60 a minute in the long run, however they are asked for', async () => {
    await spend(120);
    let passed = 0;
    for (let second = 0; second < 120; second++) {
      pass(SECOND);
      for (let request = 0; request < 2; request++) {
        passed += (await api.get(ME, { key })).status === 200 ? 1 : 0;
      }
    }
    expect(passed).to.equal(120);
  });

  it('is full again after two minutes, and fuller it never gets', async () => {
    await spend(120);
    pass(3600 * SECOND);
    await spend(120);
    expect((await api.get(ME, { key })).status).to.equal(429);
  });

  it('tells a slow bucket how long it takes, rounded up', async () => {
    api = await apis.start({ RATE_LIMIT_PER_MINUTE: 7, RATE_LIMIT_BURST: 1 }, clocks);
    await spend(1);
    const refused = await api.get(ME, { key });
    expect(refused).to.include({ limit: 7, remaining: 0, retryAfter: '9', reset: now() + 9 });
    expect(refused.error).to.include({ detail: 'Retry after 9 seconds' });
    pass(9 * SECOND);
    await spend(1);
  });

  it('shows the burst as all that can remain where it is less than the limit', async () => {
    api = await apis.start({ RATE_LIMIT_BURST: 20 }, clocks);
    expect(await api.get('/api/v1/nothing')).to.include({ limit: 60, remaining: 20, reset: now() });
    expect(await api.get(ME, { key })).to.include({ limit: 60, remaining: 19, reset: now() + 1 });
  });

  it('counts for each key on its own', async () => {
    const other = await apis.key();
    await spend(120);
    expect((await api.get(ME, { key })).status).to.equal(429);
    expect(await api.get(ME, { key: other })).to.include({ status: 200, remaining: 60 });
  });

  it('counts a HEAD like a GET, and what is refused or fails after the key is known', async () => {
    await spend(59);
    const unscoped = await api.get('/api/v1/assets', { key: await apis.key([]) });
    expect(unscoped).to.include({ status: 403, remaining: 60, reset: now() });
    expect(await api.get(ME, { key, method: 'HEAD' })).to.include({ status: 200, remaining: 60 });
    expect(await api.get(ME, { key, method: 'HEAD' })).to.include({ status: 200, remaining: 59 });
    expect(await api.get('/api/v1/assets/1', { key })).to.include({ status: 404, remaining: 58 });
    expect(await api.get('/api/v1/assets/x', { key })).to.include({ status: 400, remaining: 57 });
    expect(await api.get('/api/v1/assets', { key, method: 'POST' })).to.include({
      status: 415,
      remaining: 56,
    });
  });

  it('shows the full budget for what costs nothing', async () => {
    await spend(100);
    const free = [
      await api.get('/api/v1/nothing', { key }),
      await api.get(ME, { key, method: 'DELETE' }),
      await api.get(ME, { key, method: 'OPTIONS' }),
      await api.get(ME),
      await api.get(ME, { key: `${key}x` }),
    ];
    expect(free.map(({ status }) => status)).to.deep.equal([404, 405, 405, 401, 401]);
    for (const answer of free) {
      expect(answer).to.include({ limit: 60, remaining: 60, reset: now() });
    }
    expect(await api.get(ME, { key })).to.include({ status: 200, remaining: 19 });
  });

  it('shows what remains on an answer that failed', async () => {
    await spend(100);
    await apis.database.rows('alter table assets rename to elsewhere');
    try {
      expect(await api.get('/api/v1/assets', { key })).to.include({ status: 500, limit: 60, remaining: 19 });
    } finally {
      await apis.database.rows('alter table elsewhere rename to assets');
    }
  });

  it('counts on when the wall clock is set, and tells the time by it', async () => {
    await spend(120);
    for (const jump of [-86_400_000, 86_400_000 * 365]) {
      wallMs += jump;
      expect(await api.get(ME, { key })).to.include({ status: 429, reset: now() + 60 });
    }
    pass(SECOND);
    await spend(1);
  });
});
