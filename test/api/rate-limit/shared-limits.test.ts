import { expect } from 'chai';
import { run } from '../../support/process.ts';
import { byTurns, itByNight } from '../../support/random-sets.ts';
import { useRedis } from '../../support/redis-server.ts';
import { type LimitedApi, useLimitedApis } from './limited-api.ts';

const ME = '/api/v1/orgs/me';
const LOST = 'Rate limits are not shared';
const BACK = 'Rate limits are shared again';

/** Slow enough that no token comes while a test runs. */
const LIMITS = { RATE_LIMIT_PER_MINUTE: 1, RATE_LIMIT_BURST: 20 };

describe('rate limits shared through a server', () => {
  const redis = useRedis();
  const apis = useLimitedApis();
  const start = () => apis.start({ ...LIMITS, REDIS_URL: redis.url });
  const gauge = async (api: { url: string }) => {
    const text = await (await fetch(`${api.url}/metrics`)).text();
    return /^tagtrail_rate_limit_degraded (\d)$/m.exec(text)?.[1];
  };
  const spend = async (api: LimitedApi, key: string, requests: number) => {
    for (let request = 0; request < requests; request++) {
      expect((await api.get(ME, { key })).status).to.equal(200);
    }
  };

  it('are one budget for all processes, for each key', async () => {
    const [one, two] = [await start(), await start()];
    const [key, other] = [await apis.key(), await apis.key()];
    for (let left = 20; left > 0; left -= 2) {
      expect(await one.get(ME, { key })).to.include({ status: 200, remaining: Math.min(1, left - 1) });
      expect(await two.get(ME, { key })).to.include({ status: 200, remaining: Math.min(1, left - 2) });
    }
    for (const api of [one, two]) {
      const { status, remaining, retryAfter, reset } = await api.get(ME, { key });
      expect({ status, remaining }).to.deep.equal({ status: 429, remaining: 0 });
      expect(Number(retryAfter)).to.be.within(45, 60);
      expect(reset - Date.now() / 1000).to.be.within(45, 61);
    }
    expect(await two.get(ME, { key: other })).to.include({ status: 200, remaining: 1 });
    expect(await gauge(one)).to.equal('0');
  });

  it('let exactly the burst through when all of it is asked for at once', async () => {
    const both = [await start(), await start()];
    const changes = () =>
      both.flatMap(({ logged }) => logged).filter((line) => line.includes(LOST) || line.includes(BACK))
        .length;
    for (;;) {
      const key = await apis.key();
      const before = changes();
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => both.map((api) => api.get(ME, { key }))).flat(),
      );
      const allowed = answers.filter(({ status }) => status === 200).length;
      expect(answers.filter(({ status }) => status === 429)).to.have.lengthOf(60 - allowed);
      const degraded = await Promise.all(both.map(gauge));
      if (changes() === before && degraded.join() === '0,0') {
        expect(allowed).to.equal(20);
        return;
      }
      // On a busy machine the server may answer too late: meanwhile each process counts on its own.
      expect(allowed).to.be.at.least(20);
    }
  });

  it('leave nothing on the server but buckets that are not full, and those go by themselves', async () => {
    const api = await start();
    await redis.command('FLUSHALL');
    await spend(api, await apis.key(), 3);
    const keys = await redis.command('KEYS', '*');
    expect(keys).to.have.lengthOf(1);
    const [name] = keys as string[];
    expect(name).to.match(/^tagtrail:rate-limit:[0-9A-Z]{26}$/);
    expect(await redis.command('PTTL', name ?? '')).to.be.within(120_000, 180_000);
  });

  it('survive that the server forgets its scripts', async () => {
    const api = await start();
    const key = await apis.key();
    await spend(api, key, 19);
    await redis.command('SCRIPT', 'FLUSH');
    await spend(api, key, 1);
    expect((await api.get(ME, { key })).status).to.equal(429);
    expect(await gauge(api)).to.equal('0');
    expect(api.logged.filter((line) => line.includes(LOST))).to.deep.equal([]);
  });

  it('become those of each process while the server is gone, ready all the same, and are shared again after', async () => {
    const api = await start();
    const key = await apis.key();
    await spend(api, key, 20);
    await redis.stop();
    await spend(api, key, 20);
    expect((await api.get(ME, { key })).status).to.equal(429);
    expect(await gauge(api)).to.equal('1');
    expect((await fetch(`${api.url}/readyz`)).status).to.equal(200);

    await redis.start();
    await api.hasLogged(BACK);
    expect(await gauge(api)).to.equal('0');
    await spend(api, key, 20);
    expect(api.logged.filter((line) => line.includes(LOST) || line.includes(BACK))).to.have.lengthOf(2);
  });

  it('do not wait for a server that does not answer', async () => {
    const api = await start();
    const key = await apis.key();
    await spend(api, key, 20);
    redis.freeze();
    try {
      const answers = await Promise.all(Array.from({ length: 30 }, () => api.get(ME, { key })));
      expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(20);
      expect(await gauge(api)).to.equal('1');
    } finally {
      redis.thaw();
    }
    await api.hasLogged(BACK);
    expect(await gauge(api)).to.equal('0');
    expect(await api.get(ME, { key })).to.include({ status: 429 });
    expect(api.logged.filter((line) => line.includes(LOST))).to.have.lengthOf(1);
  });

  it('do not use a server that takes no writes until it does, and say so once', async () => {
    const api = await start();
    const key = await apis.key();
    await redis.command('CONFIG', 'SET', 'min-replicas-to-write', '3');
    await spend(api, key, 20);
    expect((await api.get(ME, { key })).status).to.equal(429);
    await api.hasLogged('still cannot be used');
    await redis.command('CONFIG', 'SET', 'min-replicas-to-write', '0');
    await api.hasLogged(BACK);
    await spend(api, key, 20);
    expect(api.logged.filter((line) => line.includes(LOST) || line.includes(BACK))).to.have.lengthOf(2);
  });

  for (const service of ['api', 'handheld-gateway', 'console']) {
    const test = service === 'api' ? it : itByNight;
    test(`are shared by ${service} once the server is there, if it was away when the process started`, async () => {
      await redis.stop();
      const program = run(`services/${service}/main.ts`, [], environment(redis.url));
      await program.printed('"address"');
      const [, address = ''] = /"address":"([^"]+)"/.exec(program.stdout()) ?? [];
      expect((await fetch(`${address}/readyz`)).status).to.equal(200);
      expect(await gauge({ url: address })).to.equal('1');
      await redis.start();
      await program.printed(BACK);
      expect(await gauge({ url: address })).to.equal('0');
      expect(program.stdout().split(LOST)).to.have.lengthOf(2);
      program.child.kill('SIGTERM');
      expect(await program.ended).to.equal(0);
    });
  }

  for (const [what, url, change] of [
    ['does not answer', () => redis.url, () => redis.freeze()],
    ['refuses the password', () => redis.url.replace('//', '//user:hush@'), () => {}],
  ] as const) {
    it(`do not keep the API from starting where the server ${what}`, async () => {
      change();
      try {
        const api = await apis.start({ ...LIMITS, REDIS_URL: url() });
        const key = await apis.key();
        await spend(api, key, 20);
        expect((await api.get(ME, { key })).status).to.equal(429);
        expect(await gauge(api)).to.equal('1');
        expect(api.logged.filter((line) => line.includes(LOST))).to.have.lengthOf(1);
      } finally {
        redis.thaw();
      }
    });
  }

  const nowhere = ['redis://127.0.0.1:1/hush', 'redis://user:hush%zz@127.0.0.1:1', 'redis:hush'];
  for (const url of byTurns(nowhere, 'REDIS_URL')) {
    it(`keep the API from starting by an address that leads nowhere, ${url}, without repeating it`, async () => {
      const program = run('services/api/main.ts', [], environment(url));
      expect(await program.ended).to.equal(1);
      expect(program.stdout()).to.equal('');
      expect(program.stderr())
        .to.match(/REDIS_URL/)
        .and.not.include('hush');
    });
  }

  function environment(url: string): NodeJS.ProcessEnv {
    const ports = { API_PORT: '0', HANDHELD_PORT: '0', CONSOLE_PORT: '0' };
    return { ...ports, DATABASE_URL: apis.database.url, REDIS_URL: url };
  }
});
