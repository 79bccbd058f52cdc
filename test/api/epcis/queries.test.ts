import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { useApi } from '../../support/api.ts';
import { appendMoves } from '../../support/feed-rows.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { Site } from '../../support/site.ts';
import { untilWaiting } from '../../support/until-waiting.ts';
import { SETTINGS } from '../../support/webhooks.ts';
import { useWorker } from '../../support/worker.ts';

/** GS1's own, as the standard names it. */
const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
const isDocument = ajv.compile(
  JSON.parse(readFileSync(new URL('../../fixtures/epcis/EPCIS-JSON-Schema.json', import.meta.url), 'utf8')),
);

/** What the answers of these tests have. */
interface Body {
  type: string;
  name: string;
  subscriptionID: string;
  fields: { field: string }[];
  epcisBody: {
    queryResults: {
      queryName: string;
      subscriptionID?: string;
      resultsBody: { eventList: { eventTime: string }[] };
    };
  };
}

describe('named queries of EPCIS', () => {
  const settings = { SECRETS_KEY: SETTINGS.keys, WEBHOOK_NETWORKS: SETTINGS.networks };
  const api = useApi({ ...settings, PUBLIC_URL: 'https://tracking.example.com' });
  useWorker(api.database, settings);
  let site: Site;
  let receiver: Receiver;
  let [reading, administering] = ['', ''];
  let [asset, dock, yard] = [0, 0, 0];

  before(async () => {
    receiver = await startReceiver();
    site = await Site.create(api.database);
    [reading, administering] = [
      await api.keyWith(['tracking:read'], { orgId: site.orgId }),
      await api.keyWith(['webhooks:admin'], { orgId: site.orgId }),
    ];
    [asset, dock, yard] = [
      await site.asset('THING'),
      await site.location('DOCK'),
      await site.location('YARD'),
    ];
    await api.database.rows(`update locations set biz_step = 'receiving' where id = $1`, [dock]);
    await api.database.rows(`delete from location_versions where biz_step is null and location_id = $1`, [
      dock,
    ]);
    await api.database.rows(`update location_versions set since = '2026-01-01' where org_id = $1`, [
      site.orgId,
    ]);
  });
  after(() => receiver.close());

  const call = async (method: string, path: string, key: string, json?: unknown) => {
    const response = await fetch(`${api.url}/epcis/v2/queries${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Body,
    };
  };
  const timesOf = ({ epcisBody }: Body) =>
    epcisBody.queryResults.resultsBody.eventList.map(({ eventTime }) => eventTime);
  const move = (locationId: number, minute: number) =>
    appendMoves(api.database, site.orgId, [
      {
        assetId: asset,
        locationId,
        since: `2026-05-04T08:0${minute}:00Z`,
        lastSeen: `2026-05-04T08:0${minute}:01Z`,
      },
    ]);
  const RECEIVED = {
    name: 'received',
    query: { EQ_bizStep: ['receiving', 'accepting'], GE_eventTime: '2026-05-04T08:01:00Z' },
  };

  it('are made once, listed, run page by page, and deleted', async () => {
    const made = await call('POST', '', administering, RECEIVED);
    expect([made.status, made.headers.get('Location')]).to.deep.equal([201, '/epcis/v2/queries/received']);
    const again = await call('POST', '', administering, RECEIVED);
    expect([again.status, again.body.type]).to.deep.equal([
      409,
      'epcisException:ResourceAlreadyExistsException',
    ]);
    expect((await call('GET', '', reading)).body).to.deep.equal([RECEIVED]);
    expect((await call('GET', '/received', reading)).body).to.deep.equal(RECEIVED);
    for (const [minute, location] of [dock, yard, dock, yard, dock].entries()) {
      await move(location, minute);
    }
    const first = await call('GET', '/received/events?perPage=1', reading);
    expect(isDocument(first.body), JSON.stringify(isDocument.errors)).to.equal(true);
    expect(first.body.epcisBody.queryResults.queryName).to.equal('received');
    expect(timesOf(first.body)).to.deep.equal(['2026-05-04T08:02:00.000Z']);
    const [, next = ''] = /queries(\/received\/events\?.*)>/.exec(first.headers.get('Link') ?? '') ?? [];
    expect(timesOf((await call('GET', next, reading)).body)).to.deep.equal(['2026-05-04T08:04:00.000Z']);
    expect((await call('DELETE', '/received', administering)).status).to.equal(204);
    const gone = await call('GET', '/received/events', reading);
    expect([gone.status, gone.body.type]).to.deep.equal([404, 'epcisException:NoSuchNameException']);
    const logged = await api.database.rows(
      `select action, resource_id from changes where org_id = $1 and resource_type = 'epcis_query' order by id`,
      [site.orgId],
    );
    expect(logged).to.deep.equal(['create', 'delete'].map((action) => ({ action, resource_id: 'received' })));
  });

  for (const [query, field] of [
    [{ WD_readPoint: ['urn:x:y'] }, 'WD_readPoint'],
    [{ EQ_bizStep: [{}] }, 'EQ_bizStep'],
    [{ perPage: 5 }, 'perPage'],
    [{ EQ_bizStep: Array(90).fill('x'.repeat(250)) }, 'query'],
  ] as const) {
    it(`are refused with what is not supported: ${field}`, async () => {
      const { status, body } = await call('POST', '', administering, { name: 'bad', query });
      expect([status, body.type]).to.deep.equal([400, 'epcisException:ValidationException']);
      expect(body.fields.map(({ field: each }) => each)).to.deep.equal([field]);
    });
  }

  it('have names without control characters, in a path as well', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await call(method, '/a%00b', method === 'GET' ? reading : administering);
      expect([status, body.fields.map(({ field }) => field)]).to.deep.equal([400, ['query_name']]);
    }
  });

  for (const name of ['..', '.', ' ']) {
    it(`are not named "${name}", which no path can name`, async () => {
      const { status, body } = await call('POST', '', administering, { ...RECEIVED, name });
      expect([status, body.fields.map(({ field }) => field)]).to.deep.equal([400, ['name']]);
    });
  }

  it('are written by those only who administer webhooks, and by their organization', async () => {
    expect((await call('POST', '', reading, RECEIVED)).status).to.equal(403);
    const other = await api.keyWith(['webhooks:admin', 'tracking:read'], {
      orgId: (await api.organization()).orgId,
    });
    await call('POST', '', administering, { ...RECEIVED, name: 'own' });
    expect((await call('GET', '', other)).body).to.deep.equal([]);
    expect((await call('DELETE', '/own', other)).status).to.equal(404);
    expect((await call('DELETE', '/own', administering)).status).to.equal(204);
  });

  it('are at most a hundred', async () => {
    await api.database.rows(
      `insert into epcis_queries (org_id, name, query) select $1, 'q' || number, '{}' from generate_series(1, 100) number`,
      [site.orgId],
    );
    expect((await call('POST', '', administering, RECEIVED)).status).to.equal(409);
    await api.database.rows('delete from epcis_queries where org_id = $1', [site.orgId]);
  });

  it('have what they match sent to subscribers, signed with their token, until they are deleted', async () => {
    await call('POST', '', administering, RECEIVED);
    const token = '13df38d8275b13f05704629e5f1cf3d45d6132d5';
    const wanted = { dest: receiver.url, signatureToken: token, stream: true };
    const { status, headers, body } = await call('POST', '/received/subscriptions', administering, wanted);
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(headers.get('Location')).to.equal(
      `/epcis/v2/queries/received/subscriptions/${body.subscriptionID}`,
    );
    expect(body).to.deep.include({ dest: receiver.url, queryName: 'received', stream: true });
    expect(JSON.stringify(body)).not.to.include(token);
    await move(yard, 5);
    await move(dock, 6);
    await receiver.got(1);
    const [request] = receiver.received;
    const sent = JSON.parse(request?.body ?? '') as Body;
    expect(isDocument(sent), JSON.stringify(isDocument.errors)).to.equal(true);
    expect(timesOf(sent)).to.deep.equal(['2026-05-04T08:06:00.000Z']);
    expect(sent.epcisBody.queryResults.subscriptionID).to.equal(body.subscriptionID);
    expect(request?.headers).to.include({ 'content-type': 'application/json', 'gs1-epcis-version': '2.0.0' });
    expect(request?.headers['gs1-signature']).to.equal(request?.headers['webhook-signature']);
    new Webhook(token, { format: 'raw' }).verify(
      request?.body ?? '',
      request?.headers as Record<string, string>,
    );
    await fetch(`${api.url}/api/v1/webhooks/${body.subscriptionID}/test`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${administering}` },
    });
    const test = receiver.received.at(-1);
    const tested = JSON.parse(test?.body ?? '') as Body;
    expect(isDocument(tested), JSON.stringify(isDocument.errors)).to.equal(true);
    expect(tested.epcisBody.queryResults).to.deep.equal({
      ...{ queryName: 'received', subscriptionID: body.subscriptionID, resultsBody: { eventList: [] } },
    });
    expect(test?.headers).to.include({ 'content-type': 'application/json', 'gs1-epcis-version': '2.0.0' });
    const own = `/received/subscriptions/${body.subscriptionID}`;
    expect((await call('GET', own, reading)).body).to.deep.include({ subscriptionID: body.subscriptionID });
    expect((await call('DELETE', own, administering)).status).to.equal(204);
    expect((await call('GET', '/received/subscriptions', reading)).body).to.deep.equal([]);
    await call('POST', '/received/subscriptions', administering, wanted);
    expect((await call('DELETE', '/received', administering)).status).to.equal(204);
    const left = await api.database.rows('select from webhooks where org_id = $1 and deleted_at is null', [
      site.orgId,
    ]);
    expect(left).to.have.lengthOf(0);
  });

  it('have no subscription that is made while they are deleted', async () => {
    await call('POST', '', administering, RECEIVED);
    const wanted = { dest: receiver.url, stream: true };
    const client = await api.database.pool.connect();
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1, $2)', [ORGANIZATION_LOCKS.room, site.orgId]);
    const subscribing = call('POST', '/received/subscriptions', administering, wanted);
    await untilWaiting(api.database, 1);
    await client.query('delete from epcis_queries where org_id = $1', [site.orgId]);
    await client.query('commit');
    client.release();
    const { status, body } = await subscribing;
    expect([status, body.type]).to.deep.equal([404, 'epcisException:NoSuchNameException']);
  });

  for (const [wanted, field] of [
    [{ stream: true, dest: 'ftp://example.com/' }, 'dest'],
    [{ dest: 'https://example.com/' }, 'stream'],
    [{ stream: true, dest: 'https://example.com/', schedule: { hour: '1' } }, 'schedule'],
  ] as const) {
    it(`have no subscription with a wrong ${field}`, async () => {
      await call('POST', '', administering, RECEIVED);
      const { status, body } = await call('POST', '/received/subscriptions', administering, wanted);
      expect([status, body.type]).to.deep.equal([400, 'epcisException:SubscriptionControlsException']);
      expect(body.fields.map(({ field: each }) => each)).to.deep.equal([field]);
    });
  }
});
