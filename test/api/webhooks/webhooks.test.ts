import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import {
  newSecretsKey,
  parseSecretsKeys,
  type SecretsKeys,
} from '../../../domain/webhooks/secrets/secrets-key.ts';
import { expectIssues, expectProblem, useApi } from '../../support/api.ts';
import { appendMoves } from '../../support/feed-rows.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { Site } from '../../support/site.ts';
import { newWebhook, SETTINGS } from '../../support/webhooks.ts';
import { useWorker } from '../../support/worker.ts';

describe('/webhooks', () => {
  const settings = { SECRETS_KEY: SETTINGS.keys, WEBHOOK_NETWORKS: SETTINGS.networks };
  const api = useApi(settings);
  useWorker(api.database, settings);
  let key: string;
  let site: Site;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    site = await Site.create(api.database);
    await site.location('HALL');
    key = await api.keyWith(['webhooks:admin'], { orgId: site.orgId });
  });
  after(() => receiver.close());

  const call = (method: string, path = '', json?: unknown) =>
    api.call({ method, path: `/api/v1/webhooks${path}`, key, ...(json === undefined ? {} : { json }) });
  const create = async (json: object = {}) =>
    (await call('POST', '', { url: receiver.url, ...json })).body?.data;

  it('creates one, shows its secret once, and delivers what moves', async () => {
    const answer = await call('POST', '', { url: receiver.url, name: 'ERP', location_external_key: 'HALL' });
    expect(answer.status).to.equal(201);
    const { id, secret, ...shown } = answer.body?.data ?? {};
    expect(shown).to.include({ name: 'ERP', url: receiver.url, location_external_key: 'HALL', state: 'on' });
    expect(answer.headers.get('location')).to.equal(`/api/v1/webhooks/${id}`);
    const read = await call('GET', `/${id}`);
    expect(read.body?.data).to.include({ id, name: 'ERP', position: 0, head: 0, last_attempt: null });
    expect(read.text).not.to.include(secret);
    const all = await create();
    const [asset, hall] = [await site.asset('THING'), await site.location('DOCK')];
    await appendMoves(api.database, site.orgId, [
      { assetId: asset, locationId: hall, since: '2026-05-04T08:00:00Z' },
    ]);
    await receiver.got(1);
    const [request] = receiver.received;
    new Webhook(all.secret).verify(request?.body ?? '', request?.headers as Record<string, string>);
    expect((await call('GET')).body).to.include({ total_count: 2 });
    await call('DELETE', `/${id}`);
    await call('DELETE', `/${all.id}`);
    expect((await call('GET')).body).to.deep.include({ data: [], total_count: 0 });
  });

  it('lets an organization have 20, of whatever state; those it has beyond that stay, and none is added', async () => {
    const { orgId } = await api.organization('Many webhooks');
    const ownKey = await api.keyWith(['webhooks:admin'], { orgId });
    const own = (method: string, path = '', json?: unknown) =>
      api.call({
        method,
        path: `/api/v1/webhooks${path}`,
        key: ownKey,
        ...(json === undefined ? {} : { json }),
      });
    const adding = () => own('POST', '', { url: receiver.url });
    const atOnce = await Promise.all(Array.from({ length: 24 }, adding));
    expect(atOnce.filter(({ status }) => status === 201)).to.have.length(20);
    const [first, second] = atOnce.flatMap(({ body }) => body?.data?.id ?? []);
    await own('PATCH', `/${first}`, { state: 'off' });
    const refused = await adding();
    expectProblem(refused, 'conflict');
    expect(refused.body?.error?.detail).to.equal(
      `Organization ${orgId} has 20 webhooks; the maximum is 20; delete one first`,
    );
    const others = await api.keyWith(['webhooks:admin'], { orgId: (await api.organization('Others')).orgId });
    const path = '/api/v1/webhooks';
    expect(
      (await api.call({ method: 'POST', path, key: others, json: { url: receiver.url } })).status,
    ).to.equal(201);

    // From when there was no limit.
    await api.database.rows(
      `insert into webhooks (org_id, name, url, state) select $1, 'earlier', $2, 'off' from generate_series(1, 5)`,
      [orgId, receiver.url],
    );
    expect((await own('GET')).body?.total_count).to.equal(25);
    expect((await own('PATCH', `/${second}`, { name: 'still mine' })).status).to.equal(200);
    expectProblem(await adding(), 'conflict');
    for (const { id } of (await own('GET')).body?.data.slice(0, 6) ?? []) {
      await own('DELETE', `/${id}`);
    }
    expect((await adding()).status).to.equal(201);
  });

  it('refuses what cannot be, by its field, and creates nothing', async () => {
    const refused: [object, [string, string][]][] = [
      [{}, [['url', 'required']]],
      [{ url: 'https://10.0.0.1/' }, [['url', 'invalid_value']]],
      [{ url: 'https://169.254.169.254/' }, [['url', 'invalid_value']]],
      [{ url: 'ftp://example.com/' }, [['url', 'invalid_value']]],
      [
        { url: 'https://u:p@example.com/', location_external_key: 'NONE' },
        [
          ['url', 'invalid_value'],
          ['location_external_key', 'fk_not_found'],
        ],
      ],
      [{ url: receiver.url, types: ['moved'] }, [['types[0]', 'invalid_value']]],
      [{ url: receiver.url, types: [] }, [['types', 'too_short']]],
      [{ url: receiver.url, settle_seconds: 61 }, [['settle_seconds', 'too_large']]],
      [{ url: receiver.url, settle_seconds: -1 }, [['settle_seconds', 'too_small']]],
      [{ url: receiver.url, settle_seconds: null }, [['settle_seconds', 'invalid_value']]],
      [{ url: receiver.url, after: 99 }, [['after', 'invalid_value']]],
      [{ url: receiver.url, after: -1 }, [['after', 'too_small']]],
      [{ url: receiver.url, secret: 'x' }, [['secret', 'unknown_field']]],
    ];
    for (const [json, issues] of refused) {
      expectIssues(await call('POST', '', json), issues);
    }
    expect((await call('GET')).body).to.include({ total_count: 0 });
  });

  it('changes one, and leaves what is not named as it is', async () => {
    const { id, secret } = await create({ name: 'WMS', types: ['tagtrail.asset.moved.v1'] });
    const changed = await call('PATCH', `/${id}`, { state: 'paused', types: null, settle_seconds: 5 });
    expect(changed.body?.data).to.include({ name: 'WMS', state: 'paused', types: null, secret: null });
    expect((await call('GET', `/${id}`)).body?.data).to.include({ settle_seconds: 5 });
    const rotated = await call('PATCH', `/${id}`, { rotate_secret: true });
    expect(rotated.body?.data.secret)
      .to.match(/^whsec_/)
      .and.not.equal(secret);
    const read = async () => (await call('GET', `/${id}`)).body?.data.secrets_since;
    expect(await read()).to.have.length(2);
    await call('PATCH', `/${id}`, { drop_old_secret: true });
    expect(await read()).to.have.length(1);
    expectIssues(await call('PATCH', `/${id}`, { url: 'http://example.com/', state: 'gone' }), [
      ['state', 'invalid_value'],
    ]);
    expectIssues(await call('PATCH', `/${id}`, { url: 'https://127.0.0.1.nip.io@10.0.0.1/' }), [
      ['url', 'invalid_value'],
    ]);
  });

  it('tests one, lists what was sent, and sends it again', async () => {
    const { id } = await create({ after: 0 });
    const at = receiver.received.length;
    receiver.answer = (response) => response.writeHead(201).end('thanks');
    const tested = await call('POST', `/${id}/test`);
    expect(tested.body?.data).to.deep.include({ delivered: true, status: 201, answer: 'thanks' });
    const attempts = await call('GET', `/${id}/attempts?limit=1`);
    expect(attempts.body?.data).to.have.length(1);
    await receiver.got(at + 2);
    const replayed = await call('POST', `/${id}/replay`, { after: 0 });
    expect(replayed.body?.data).to.include({ id, after: 0, state: 'on' });
    await receiver.got(at + 3);
    expectIssues(await call('POST', `/${id}/replay`, { after: 2 }), [['after', 'invalid_value']]);
  });

  it('refuses tests while many wait for silent receivers, and says that they do', async () => {
    const { id } = await create();
    const held: ServerResponse[] = [];
    receiver.answer = (response) => held.push(response);
    const at = receiver.received.length;
    const tests = Array.from({ length: 11 }, () => call('POST', `/${id}/test`));
    const refused = await Promise.race(tests);
    expect(refused.status).to.equal(503);
    expectProblem(refused, 'unavailable');
    expect(refused.body?.error?.detail).to.match(/wait for their receivers/);
    expect(refused.headers.get('retry-after')).to.equal('15');
    await receiver.got(at + 2);
    receiver.answer = (response) => response.writeHead(204).end();
    for (const response of held) {
      response.writeHead(204).end();
    }
    const statuses = (await Promise.all(tests)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).to.have.length(10);
  });

  it('names the bounds of the feed where it cannot be followed, as GET /moves does', async () => {
    const other = await api.organization();
    const post = async (json: object) => {
      const own = await api.keyWith(['webhooks:admin'], { orgId: other.orgId });
      const answer = await api.call({ method: 'POST', path: '/api/v1/webhooks', key: own, json });
      return answer.body?.error?.fields;
    };
    await api.database.rows('insert into move_heads (org_id, head, oldest) values ($1, 48123, 101)', [
      other.orgId,
    ]);
    const moves = await api.call({ path: '/api/v1/moves?after=999999', key: other.key });
    const ahead = await post({ url: receiver.url, after: 999_999 });
    expect(ahead).to.deep.equal([
      {
        ...{ field: 'after', code: 'invalid_value', params: { max: 48_123 } },
        message: 'after must be at most 48123, the head of the feed',
      },
    ]);
    expect(ahead).to.deep.equal(moves.body?.error?.fields);
    expect(await post({ url: receiver.url, after: 99 })).to.deep.equal([
      {
        ...{ field: 'after', code: 'invalid_value', params: { min: 100 } },
        message: 'after must be at least 100: earlier events are no longer kept',
      },
    ]);
  });

  it('is not for keys of integrators, and not in the description', async () => {
    const answer = await api.call({ path: '/api/v1/webhooks' });
    expectProblem(answer, 'forbidden', 'Missing required scope: webhooks:admin');
    const description = await (await fetch(`${api.url}/api/openapi.json`)).text();
    expect(description).to.include('listMoves').and.not.include('ebhook');
  });
});

describe('/webhooks of a service without SECRETS_KEY', () => {
  const api = useApi();

  it('refuses what needs it, and says why', async () => {
    const key = await api.keyWith(['webhooks:admin']);
    const json = { url: 'https://example.com/' };
    const answer = await api.call({ method: 'POST', path: '/api/v1/webhooks', key, json });
    expect(answer.status).to.equal(503);
    expectProblem(answer, 'unavailable', 'Webhooks need SECRETS_KEY, which is not set for this service');
    expect((await api.call({ path: '/api/v1/webhooks', key })).body).to.include({ total_count: 0 });
  });
});

describe('/webhooks of a service with another SECRETS_KEY than before', () => {
  const settings = {
    SECRETS_KEY: parseSecretsKeys(newSecretsKey()) as SecretsKeys,
    WEBHOOK_NETWORKS: SETTINGS.networks,
  };
  const api = useApi(settings);
  useWorker(api.database, settings);

  it('names the setting in what a test answers, in the attempts and in the list', async () => {
    const key = await api.keyWith(['webhooks:admin']);
    const call = (method: string, path: string, json?: unknown) =>
      api.call({ method, path: `/api/v1/webhooks${path}`, key, ...(json === undefined ? {} : { json }) });
    const { id } = await newWebhook(api.database, { orgId: api.orgId, url: 'http://127.0.0.1:9/' });
    const tested = await call('POST', `/${id}/test`);
    expect(tested.status).to.equal(503);
    expectProblem(tested, 'unavailable');
    const said = tested.body?.error?.detail;
    expect(said).to.include(`secret of webhook ${id} was encrypted with another SECRETS_KEY`);
    let attempts = await call('GET', `/${id}/attempts`);
    while (attempts.body?.data.length === 0) {
      attempts = await call('GET', `/${id}/attempts`);
    }
    expect(attempts.body?.data[0]).to.include({ error: said, status: null, position: null });
    expect((await call('GET', `/${id}`)).body?.data.last_attempt).to.include({ error: said });
    for (const refused of [
      await call('POST', '', { url: 'http://127.0.0.1:9/' }),
      await call('PATCH', `/${id}`, { rotate_secret: true }),
    ]) {
      expect(refused.status).to.equal(503);
      expect(refused.body?.error?.detail).to.match(/^SECRETS_KEY differs from/);
    }
    const anew = await call('PATCH', `/${id}`, { rotate_secret: true, drop_old_secret: true });
    expect(anew.body?.data.secret).to.match(/^whsec_/);
  });
});
