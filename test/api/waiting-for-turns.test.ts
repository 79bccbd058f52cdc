import { expect } from 'chai';
import pg from 'pg';
import { expensiveTurns } from '../../base/expensive-turns.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { useApi } from '../support/api.ts';

const LARGE = { a: 'x'.repeat(100_000) };

/** Their organization's turn is taken by a history that a lock holds up, and does not lapse. */
describe('an expensive request that waits for others of its organization', () => {
  const api = useApi();
  let locker: pg.Client;
  let asset: string;
  let history: Promise<unknown>;

  const { lapse } = expensiveTurns;
  before(async () => {
    expensiveTurns.lapse = 2 ** 31 - 1;
    locker = new pg.Client(connectionConfig(api.database.url, 'locker'));
    await locker.connect();
    api.database.beforeDrop(() => locker.end());
  });

  after(() => {
    expensiveTurns.lapse = lapse;
  });

  beforeEach(async () => {
    const { body } = await api.call({ method: 'POST', path: '/api/v1/assets', json: { name: 'first' } });
    asset = `/api/v1/assets/${body?.data.id}`;
    await locker.query('begin');
    await locker.query('lock table location_transitions in access exclusive mode');
    history = api.call({ path: `${asset}/history` });
    const isHeld = () =>
      api.database.rows(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
           and application_name = 'tagtrail api lists'`,
      );
    while (((await isHeld()) as object[]).length === 0) {
      // The database is asked again.
    }
  });

  const patch = (name: string, options: object = {}) =>
    fetch(api.url + asset, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ name, metadata: LARGE }),
      ...options,
    });

  it('is passed by what takes little, and by the expensive ones of others', async () => {
    const order: string[] = [];
    const waiting = patch('second').then(async (response) => {
      order.push('expensive');
      return response.status;
    });
    const other = await api.organization();
    const made = await api.call({
      method: 'POST',
      path: '/api/v1/assets',
      key: other.key,
      json: { name: 'theirs', metadata: LARGE },
    });
    expect(made.status).to.equal(201);
    for (const call of [
      { path: asset },
      { path: `/api/v1/assets?external_key=${made.body?.data.external_key}` },
      { method: 'PATCH', path: asset, json: { description: 'small' } },
      { method: 'POST', path: '/api/v1/assets', json: { name: 'small' } },
    ]) {
      expect((await api.call(call)).status).to.be.oneOf([200, 201]);
    }
    order.push('cheap');
    await locker.query('rollback');
    expect(await waiting).to.equal(200);
    await history;
    expect(order).to.deep.equal(['cheap', 'expensive']);
  });

  it('may be a rename above many locations, and is none above a few', async () => {
    const above = async (count: number) => {
      const { body } = await api.call({ method: 'POST', path: '/api/v1/locations', json: { name: 'root' } });
      await api.database.rows(
        `insert into locations (org_id, external_key, name, parent_id)
         select $1, $2::integer || '-' || place, 'n', $2::integer from generate_series(1, $3::integer) place`,
        [api.orgId, body?.data.id, count],
      );
      const order: string[] = [];
      const path = `/api/v1/locations/${body?.data.id}/rename`;
      const renamed = api
        .call({ method: 'POST', path, json: { external_key: `ABOVE-${count}` } })
        .then(({ body: answer }) => {
          order.push('renamed');
          return answer?.['descendant_count_affected'];
        });
      return { renamed, order };
    };
    const [many, few] = [await above(1_500), await above(10)];
    expect(await few.renamed).to.equal(10);
    for (let look = 0; look < 50; look++) {
      await api.call({ path: asset });
    }
    many.order.push('list');
    await locker.query('rollback');
    await history;
    expect(await many.renamed).to.equal(1_500);
    expect(many.order).to.deep.equal(['list', 'renamed']);
  });

  for (const resource of ['assets', 'locations']) {
    it(`may be a deletion of one of the ${resource} with many tags, is none of one with a few, and delays no scan`, async () => {
      const tagged = async (count: number) => {
        const tags = Array.from({ length: count }, (_, at) => ({
          tag_type: 'rfid',
          value: `E2-${resource}-${count}-${at}`,
        }));
        const path = `/api/v1/${resource}`;
        const { body } = await api.call({ method: 'POST', path, json: { name: 'n', tags } });
        const id = (body as { data: { id: number } }).data.id;
        const order: string[] = [];
        const deleted = api
          .call({ method: 'DELETE', path: `${path}/${id}` })
          .then(({ status }) => order.push(`${status}`));
        return { id, deleted, order };
      };
      const [many, few] = [await tagged(300), await tagged(10)];
      await few.deleted;
      while (expensiveTurns.waiting(api.orgId) === 0) {
        await api.call({ path: asset });
      }
      // As a recorder of scans does.
      await api.database.rows(`select from ${resource} where id = $1 for key share nowait`, [many.id]);
      many.order.push('list');
      await locker.query('rollback');
      await Promise.all([history, many.deleted]);
      expect([few.order, many.order]).to.deep.equal([['204'], ['list', '204']]);
    });
  }

  it('is not carried out if its caller hangs up', async () => {
    const abandoned = async () => {
      const metrics = await (await fetch(`${api.url}/metrics`)).text();
      return metrics
        .split('\n')
        .filter((line) => /499/.test(line) && /updateAsset/.test(line))
        .join('\n');
    };
    const before = await abandoned();
    const hangingUp = new AbortController();
    const sent = patch('abandoned', { signal: hangingUp.signal }).catch((error: unknown) => error);
    // A request sent after it, of which the body is small, is answered when the server has read that one.
    await api.call({ method: 'PATCH', path: asset, json: { description: 'small' } });
    hangingUp.abort();
    await sent;
    while ((await abandoned()) === before) {
      // The server is asked again.
    }
    await locker.query('rollback');
    await history;
    const last = await patch('last');
    expect(((await last.json()) as { data: { name: string } }).data.name).to.equal('last');
    const rows = await api.database.rows(`select name from assets where name = 'abandoned'`);
    expect(rows).to.deep.equal([]);
  });
});
