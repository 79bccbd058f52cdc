import { connect } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import { MACHINE_CLOCKS } from '../../../platform/rate-limit/start-limiter.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startApi } from '../../../services/api/start.ts';
import { apiConfig, expectProblem, useApi } from '../../support/api.ts';
import { type CountingProxy, openCountingProxy } from '../../support/counting-proxy.ts';
import { appendMoves } from '../../support/feed-rows.ts';

const WAITING = '/api/v1/moves?wait=30&after=';

describe('waiting for moves', () => {
  const api = useApi();
  let assetId: number;
  before(async () => {
    const json = { name: 'Any' };
    assetId = (await api.call({ method: 'POST', path: '/api/v1/assets', json })).body?.data.id;
  });
  const busyConnections = async () => {
    const [row] = await api.database.rows<{ busy: number }>(
      `select count(*)::int as busy from pg_stat_activity
       where datname = current_database() and application_name like 'tagtrail%' and state <> 'idle'`,
    );
    return row?.busy ?? Number.NaN;
  };
  const append = (count = 1, orgId = api.orgId) =>
    appendMoves(
      api.database,
      orgId,
      Array.from({ length: count }, () => ({ assetId, kind: 'corrected', rows: {} })),
    );
  const untilWaiting = async (count: number, url = api.url) => {
    for (let waiting = -1; waiting !== count; ) {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      waiting = Number(/^tagtrail_api_waiting_requests (\d+)$/m.exec(metrics)?.[1]);
    }
  };

  const revoke = async (key: string) => {
    const path = `/api/v1/orgs/${api.orgId}/api-keys/${key.split('_')[1]}`;
    const { status } = await api.call({ method: 'DELETE', path, key: await api.keyWith(['keys:admin']) });
    expect(status).to.equal(204);
  };

  it('ends with the next event, whatever others are told', async () => {
    const head = await append();
    const answer = api.call({ path: WAITING + head });
    await untilWaiting(1);
    const { orgId } = await api.organization('Other');
    await append(1, orgId);
    await untilWaiting(1);
    await append();
    const { body } = await answer;
    expect(body?.data).to.include({ next: head + 1, head: head + 1 });
    expect(body?.data.moves).to.have.length(1);
    await untilWaiting(0);
  });

  it('does not begin where there is something already', async () => {
    const head = await append(2);
    expect((await api.call({ path: WAITING + (head - 2) })).body?.data.moves).to.have.length(2);
  });

  it('ends without any when the time is up', async () => {
    const head = await append();
    const since = performance.now();
    const { body } = await api.call({ path: `/api/v1/moves?wait=1&after=${head}` });
    expect(performance.now() - since).to.be.above(990);
    expect(body?.data).to.deep.equal({ moves: [], next: head, head, oldest: 1 });
  });

  it('is done for HEAD as for GET', async () => {
    const head = await append();
    const [answer, other] = ['HEAD', 'GET'].map((method) => api.call({ method, path: WAITING + head }));
    await untilWaiting(2);
    await append();
    expect((await answer)?.headers.get('content-length')).to.equal(
      (await other)?.headers.get('content-length'),
    );
  });

  it('is over when the caller hangs up', async () => {
    const head = await append();
    const caller = new AbortController();
    const Authorization = `Bearer ${api.key}`;
    const request = fetch(api.url + WAITING + head, { headers: { Authorization }, signal: caller.signal });
    await untilWaiting(1);
    caller.abort();
    await request.catch(() => {});
    await untilWaiting(0);
  });

  it('is over when the caller hangs up, whatever is pipelined behind', async () => {
    const head = await append();
    const { hostname, port } = new URL(api.url);
    for (const count of [2, 16, 500]) {
      const socket = connect({ host: hostname, port: Number(port) });
      const request = `GET ${WAITING}${head} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${api.key}\r\n\r\n`;
      socket.write(request.repeat(count));
      // They wait one after another, as they are answered.
      await untilWaiting(1);
      socket.destroy();
      await untilWaiting(0);
    }
  });

  it('is no way to read on with a key that was revoked meanwhile', async () => {
    const key = await api.keyWith(['tracking:read']);
    const head = await append();
    const answer = api.call({ path: WAITING + head, key });
    await untilWaiting(1);
    await revoke(key);
    await append();
    expectProblem(await answer, 'unauthorized', 'API key has been revoked');
  });

  describe('at an API of its own', () => {
    const log = pino({ level: 'silent' });
    let lifecycle: Lifecycle;
    let proxy: CountingProxy;
    let url: string;
    const wait = (after: number, key = api.key) =>
      fetch(url + WAITING + after, { headers: { Authorization: `Bearer ${key}` } });
    beforeEach(async () => {
      lifecycle = new Lifecycle(log);
      proxy = await openCountingProxy(api.database);
      const config = { ...apiConfig(proxy.url), RATE_LIMIT_BURST: 1_001 };
      // No token comes while the tests run.
      const clocks = { ...MACHINE_CLOCKS, monotonic: () => 0 };
      url = (await startApi(config, log, lifecycle, { clocks })).url;
    });
    afterEach(() => lifecycle.stop());

    it('ends for all when the service stops, in order', async () => {
      const head = await append();
      const answers = [wait(head), wait(head)];
      await untilWaiting(2, url);
      await lifecycle.stop();
      for (const answer of await Promise.all(answers)) {
        expect(answer.status).to.equal(200);
        expect(answer.headers.get('connection')).to.equal('close');
        expect(await answer.json()).to.deep.equal({ data: { moves: [], next: head, head, oldest: 1 } });
      }
    });

    it('ends with 401 for a key that was revoked meanwhile, where there is nothing to tell too', async () => {
      const key = await api.keyWith(['tracking:read']);
      const answer = wait(await append(), key);
      await untilWaiting(1, url);
      await revoke(key);
      await lifecycle.stop();
      expect((await answer).status).to.equal(401);
    });

    it('does not begin while the service is about to stop', async () => {
      const head = await append();
      const stopped = lifecycle.stop(2_000);
      expect((await wait(head)).status).to.equal(200);
      await stopped;
    });

    it('costs one token, no connection, and one query for a thousand who are told the same', async () => {
      const head = await append();
      const first = wait(head);
      await untilWaiting(1, url);
      const answers = [first, ...Array.from({ length: 999 }, () => wait(head))];
      await untilWaiting(1_000, url);
      // Those for requests: a busy machine makes others to ask whether a silent server is there, or to hear of moves again.
      const connections = () => proxy.connections('tagtrail api');
      const [opened, ran] = [connections(), proxy.statements().length];
      while ((await busyConnections()) > 0);
      await append(3);
      const bodies = await Promise.all(answers.map(async (answer) => (await answer).text()));
      expect(new Set(bodies)).to.have.length(1);
      expect(JSON.parse(bodies[0] ?? '').data.moves).to.have.length(3);
      expect(connections()).to.equal(opened);
      const asked = Map.groupBy(proxy.statements().slice(ran), (name) => name.replace(/-\d+$/, ''));
      expect(asked.get('composed')).to.have.length(1);
      // A busy machine looks keys up again, many at a time (`base/heard-everywhere.ts`).
      expect(asked.get('find-keys') ?? []).to.have.length.below(100);
      expect((await wait(head)).status).to.equal(200);
      expect((await wait(head)).status).to.equal(429);
    });

    it('goes on when the way to the database was lost, and tells each what came of its own meanwhile', async () => {
      const organizations = await Promise.all(['One', 'Two'].map((name) => api.organization(name)));
      const answers = organizations.map(({ key }) =>
        fetch(`${url}${WAITING}0`, { headers: { Authorization: `Bearer ${key}` } }),
      );
      await untilWaiting(2, url);
      const alike = organizations.map(({ orgId }) =>
        api.database.rows(`insert into move_heads (org_id, head) values ($1, 1)`, [orgId]),
      );
      const unannounced = organizations.map(({ orgId }) =>
        api.database.rows(
          `insert into moves (org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at)
           values ($1, 1, now(), $2, 'corrected', 1, 1, now())`,
          [orgId, assetId],
        ),
      );
      await Promise.all([...alike, ...unannounced]);
      await api.database.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'tagtrail listen'`,
      );
      for (const [index, answer] of answers.entries()) {
        const { data } = (await (await answer).json()) as { data: { moves: { source: string }[] } };
        expect(data.moves.map(({ source }) => source)).to.deep.equal([
          `/orgs/${organizations[index]?.orgId}/moves`,
        ]);
      }
    });
  });
});
