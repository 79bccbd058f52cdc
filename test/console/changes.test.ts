import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { deleteWebhook } from '../../domain/webhooks/delete-webhook.ts';
import { setWebhook } from '../../domain/webhooks/set-webhook.ts';
import { MEMBER_ROUTES } from '../../services/console/routes.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useConsole } from '../support/console.ts';
import { newWebhook, SETTINGS } from '../support/webhooks.ts';

describe('the change log in the console', () => {
  const suite = useConsole();
  const { call } = suite;

  it('says who changed what, the newest first, to who may only read too', async () => {
    const { id: userId } = (await call({ path: '/session' })).body.data.user;
    const made = await call({
      method: 'POST',
      path: '/assets',
      json: { name: 'Pallet', external_key: 'P-1' },
    });
    await call({ method: 'PATCH', path: `/assets/${made.body.data.id}`, json: { name: 'Crate' } });
    const token = await suite.as('viewer');
    const { data } = (await call({ path: '/changes?limit=200', token })).body;
    const own = data.filter(({ resource }: { resource: { type: string } }) => resource.type === 'asset');
    expect(own.map(({ action }: { action: string }) => action)).to.deep.equal(['update', 'create']);
    expect(own[0]).to.deep.include({
      actor: { type: 'user', id: String(userId), name: 'Somebody' },
      resource: { type: 'asset', id: made.body.data.id, external_key: 'P-1', name: null },
    });
    expect(own[0].before).to.include({ name: 'Pallet' });
    expect(own[0].after).to.include({ name: 'Crate' });
    const types = ({ body }: { body: { data: { resource: { type: string } }[] } }) =>
      body.data.map(({ resource }) => resource.type);
    expect(types({ body: { data } })).not.to.include('session');
    expect(types(await call({ path: '/changes?limit=200' }))).to.include('session');
    expect(
      (await call({ path: `/changes?since=${own[0].at}&limit=200`, token })).body.data,
    ).not.to.deep.equal([]);
    await call({ method: 'DELETE', path: `/assets/${made.body.data.id}` });
    const [retired] = (await call({ path: `/changes?resource_type=asset&resource_id=${made.body.data.id}` }))
      .body.data;
    expect([retired.action, retired.before.tags]).to.deep.equal(['delete', []]);
    expect((await call({ path: '/changes?since=2200-01-01T00:00:00Z', token })).body.data).to.deep.equal([]);
  });

  it('shows where webhooks lead behind the host to administrators only', async () => {
    const url = await suite.start({ SECRETS_KEY: SETTINGS.keys });
    const secret = 'T0K3N-of-the-receiver';
    const hook = await newWebhook(suite.database, {
      ...{
        orgId: suite.orgId,
        name: 'ERP',
        url: `https://hooks.example.com/services/${secret}?key=${secret}`,
      },
    });
    const db = databaseOn(suite.database.pool);
    const wanted = { url: `https://hooks.example.com/other/${secret}` };
    await setWebhook(db, TEST_ACTOR, SETTINGS, { orgId: suite.orgId, id: hook.id }, wanted);
    await deleteWebhook(db, TEST_ACTOR, { orgId: suite.orgId, id: hook.id });
    const read = async (path: string, token: string) =>
      (await fetch(`${url}/console/v1${path}`, { headers: { Cookie: `tagtrail_session=${token}` } })).text();
    for (const role of ['viewer', 'operator'] as const) {
      const token = await suite.as(role);
      // The log, and whatever else may be read without a name in the path.
      for (const { method, path } of MEMBER_ROUTES.filter((each) => !/[{]/.test(each.path))) {
        const isStream = /\/(events|exports)/.test(path);
        if (method === 'GET' && !isStream) {
          expect(await read(path.replace('/console/v1', ''), token), `${role} ${path}`).not.to.include(
            secret,
          );
        }
      }
      const { data } = JSON.parse(await read('/changes?resource_type=webhook', token));
      expect(data.map(({ action }: { action: string }) => action)).to.deep.equal([
        'delete',
        'update',
        'create',
      ]);
      expect(data[1]).to.deep.include({
        before: { url: 'https://hooks.example.com/…' },
        after: { url: 'https://hooks.example.com/…' },
      });
    }
    expect(await read('/changes?resource_type=webhook', suite.token)).to.include(secret);
  });

  interface Shown {
    id: number;
    action: string;
    actor: { id: string; name: string | null };
    resource: { type: string; name: string | null };
  }

  it('filters them by resource, person and time, and goes through them page by page, each once', async () => {
    const operator = await suite.as('operator');
    const { id: userId } = (await call({ path: '/session', token: operator })).body.data.user;
    const made = await call({ method: 'POST', path: '/assets', json: { name: 'Bin' } });
    const { id } = made.body.data;
    for (let round = 1; round <= 5; round++) {
      await call({ method: 'PATCH', path: `/assets/${id}`, json: { name: `Bin ${round}` }, token: operator });
    }
    const read = async (query: string) => (await call({ path: `/changes?${query}` })).body;
    const seen: Shown[] = [];
    for (let cursor = ''; ; ) {
      const { data, next } = await read(`resource_type=asset&resource_id=${id}&limit=2${cursor}`);
      seen.push(...data);
      if (next === null) {
        break;
      }
      cursor = `&cursor=${next}`;
    }
    expect(seen.map(({ action }) => action)).to.deep.equal([...Array(5).fill('update'), 'create']);
    expect(new Set(seen.map((change) => change.id)).size).to.equal(6);
    const own = await read(`actor_type=user&actor_id=${userId}&resource_type=asset&limit=200`);
    expect(own.data.map(({ actor }: Shown) => actor.id)).to.deep.equal(Array(5).fill(String(userId)));
    const { at } = (await read(`resource_type=asset&resource_id=${id}`)).data[2];
    const before = await read(`resource_type=asset&resource_id=${id}&until=${at}`);
    expect(before.data).to.have.length(3);
    for (const [half, field] of [
      ['actor_type=user', 'actor_id'],
      [`resource_id=${id}`, 'resource_type'],
    ] as const) {
      const refused = await call({ path: `/changes?${half}` });
      expect(refused.body.error.fields[0]).to.include({ field, code: 'required' });
    }
    for (const cursor of ['x', '1-', '99999999999999999999-1']) {
      const refused = await call({ path: `/changes?cursor=${cursor}` });
      expect([refused.status, refused.body.error.fields[0].field], cursor).to.deep.equal([400, 'cursor']);
    }
  });

  it('says what devices and programs are called, and no page of who may not see people’s is cut short', async () => {
    const { id, token } = (await call({ method: 'POST', path: '/handhelds', json: { name: 'Gun' } })).body
      .data;
    await call({ method: 'PATCH', path: `/handhelds/${id}`, json: { name: 'Gun 2' } });
    const { text, body } = await call({ path: '/changes?resource_type=handheld' });
    expect(text).not.to.include(token);
    expect(body.data.map(({ resource }: Shown) => resource.name)).to.deep.equal(['Gun 2', 'Gun 2']);
    const viewer = await suite.as('viewer');
    const page = (await call({ path: '/changes?limit=3', token: viewer })).body;
    expect(page.data.map(({ resource }: Shown) => resource.type)).to.deep.equal([
      'handheld',
      'handheld',
      'asset',
    ]);
  });
});
