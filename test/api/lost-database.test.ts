import { expect } from 'chai';
import { pino } from 'pino';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startApi } from '../../services/api/start.ts';
import { apiConfig, type Call, expectProblem, useApi } from '../support/api.ts';
import { openCuttingProxy } from '../support/cutting-proxy.ts';
import type { Answer } from '../support/declared-answer.ts';
import { DISK_FULL, fullDiskUnder } from '../support/full-disk.ts';
import { Link, targetOf } from '../support/link.ts';
import { untilReadiness } from '../support/readiness.ts';
import { expectUnavailable } from '../support/unavailable.ts';

/** Longer than anything here waits for a database that says nothing; it used to be a minute. */
const SECONDS = 20;

describe('requests while the database cannot be reached', () => {
  const api = useApi();
  let link: Link;
  let assetId: number;

  async function startBehind(url: string): Promise<string> {
    const lifecycle = new Lifecycle(pino({ level: 'silent' }));
    api.database.beforeDrop(() => lifecycle.stop());
    return (await startApi(apiConfig(url), pino({ level: 'silent' }), lifecycle)).url;
  }

  const get = () => api.call({ path: `/api/v1/assets/${assetId}` });
  const CALLS: readonly (() => Call)[] = [
    () => ({ path: '/api/v1/assets' }),
    () => ({ path: '/api/v1/assets?q=abc' }),
    () => ({ path: `/api/v1/assets/${assetId}` }),
    () => ({ path: '/api/v1/orgs/me' }),
    () => ({ path: '/api/v1/reports/asset-locations' }),
    () => ({ path: '/api/v1/assets', method: 'POST', json: { name: 'Any' } }),
    () => ({ path: `/api/v1/assets/${assetId}`, method: 'PATCH', json: { name: 'Other' } }),
    () => ({ path: `/api/v1/assets/${assetId}`, method: 'DELETE' }),
    () => ({ path: '/api/v1/locations', method: 'POST', json: { name: 'Any' } }),
  ];
  const callAll = () => Promise.all(CALLS.map((call) => api.call(call())));

  before(async () => {
    assetId = (await api.call({ method: 'POST', path: '/api/v1/assets', json: { name: 'Pallet' } })).body
      ?.data.id;
    link = await Link.open(targetOf(api.database.url));
    api.database.beforeDrop(() => link.close());
    api.url = await startBehind(link.by(api.database.url));
  });
  afterEach(() => link.mend());

  it('are answered with 503 and when to try again, and served once it is back', async () => {
    expect((await get()).status).to.equal(200);
    link.cut();
    // What was open is found broken by those that come first.
    await callAll();
    for (const answer of await callAll()) {
      expectUnavailable(answer);
    }
    link.mend();
    expect((await get()).status).to.equal(200);
    expect(await api.database.rows('select from assets')).to.have.length(1);
  });

  for (const silence of ['stall', 'abandon'] as const) {
    it(`are answered within seconds where it says nothing any more (${silence})`, async () => {
      await Promise.all([get(), get(), api.call({ path: '/api/v1/assets?q=abc' })]);
      const patience = api.database.rows(`select pg_sleep(${SECONDS})`).then(() => 'late' as const);
      link[silence]();
      const answers = await Promise.race([callAll(), patience]);
      expect(answers).to.not.equal('late');
      for (const answer of answers as Answer[]) {
        expect([200, 201, 204, 404, 500, 503]).to.include(answer.status);
      }
      const reads = (answers as Answer[]).slice(0, 5);
      for (const answer of reads.filter(({ status }) => status !== 200)) {
        expectUnavailable(answer);
      }
      link.mend();
    });
  }
});

describe('a write during which the database is lost', () => {
  const api = useApi();

  it('is not said to have changed nothing, whether its commit came through or not', async () => {
    const proxy = await openCuttingProxy(api.database);
    const { body } = await api.call({ method: 'POST', path: '/api/v1/assets', json: { name: 'Before' } });
    const lifecycle = new Lifecycle(pino({ level: 'silent' }));
    api.database.beforeDrop(() => lifecycle.stop());
    api.url = (await startApi(apiConfig(proxy.url), pino({ level: 'silent' }), lifecycle)).url;
    const path = `/api/v1/assets/${body?.data.id}`;
    for (const [cut, name, then] of [
      ['before commit', 'One', 'Before'],
      ['after commit', 'Two', 'Two'],
    ] as const) {
      proxy.cutNext(cut);
      const answer = await api.call({ method: 'PATCH', path, json: { name } });
      expectProblem(
        answer,
        'internal_error',
        'The connection to the database was lost; the request may have been carried out',
      );
      expect(answer.headers.get('retry-after')).to.equal(null);
      expect((await api.call({ path })).body?.data.name).to.equal(then);
    }
    expect(proxy.cuts()).to.equal(2);
  });
});

describe('a database that is read-only for now', () => {
  const api = useApi();

  it('serves reads, and has writes answered with 503', async () => {
    const admin = await api.database.rows('select current_database() as name');
    await api.database.rows(
      `alter database "${(admin[0] as { name: string }).name}" set default_transaction_read_only = on`,
    );
    const lifecycle = new Lifecycle(pino({ level: 'silent' }));
    api.database.beforeDrop(() => lifecycle.stop());
    api.url = (await startApi(apiConfig(api.database.url), pino({ level: 'silent' }), lifecycle)).url;
    expect((await api.call({ path: '/api/v1/assets' })).status).to.equal(200);
    for (const path of ['/api/v1/assets', '/api/v1/locations']) {
      const { status, headers, body } = await api.call({ path, method: 'POST', json: { name: 'Any' } });
      expect([status, headers.get('retry-after')]).to.deep.equal([503, '5']);
      expect(body?.error?.detail).to.equal('The database takes no changes right now; nothing was changed');
    }
    const writing = 'the database takes no changes: default_transaction_read_only is on';
    await untilReadiness(api.url, { status: 200, checks: { database: 'ok', writing, ids: 'ok' } });
  });
});

describe('the API on a full disk', () => {
  const api = useApi();

  it('says so while changes are refused, serves reads, and says when one is made again', async () => {
    const path = '/api/v1/assets';
    const create = () => api.call({ path, method: 'POST', json: { name: 'Any' } });
    await api.database.rows(DISK_FULL);
    await api.database.rows(fullDiskUnder('assets'));
    expect((await create()).status).to.equal(503);
    const writing = 'changes are refused: could not extend file';
    await untilReadiness(api.url, { status: 200, checks: { database: 'ok', writing, ids: 'ok' } });
    expect((await api.call({ path })).status).to.equal(200);
    await api.database.rows('drop trigger disk_full on assets');
    expect((await create()).status).to.equal(201);
    await untilReadiness(api.url, { status: 200, checks: { database: 'ok', writing: 'ok', ids: 'ok' } });
  });
});
