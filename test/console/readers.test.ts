import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createReader } from '../../domain/administration/readers/create-reader.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useConsole } from '../support/console.ts';
import { connected, connectReader, useIngest } from '../support/ingest.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';

describe('readers and handhelds in the console', () => {
  const suite = useConsole();
  const ingest = useIngest(suite.database);
  const { call } = suite;
  const post = (path: string, json: object) => call({ method: 'POST', path, json });
  const patch = (path: string, json: object) => call({ method: 'PATCH', path, json });

  it('registers a reader with its password, shown once, and says where its antennas are', async () => {
    const made = await post('/readers', { name: 'Portal', topic: 'site/portal', format: 'tagtrail' });
    expect(made.status, made.text).to.equal(200);
    const { id, mqtt_password: password } = made.body.data;
    await post('/locations', { name: 'Dock', external_key: 'DOCK' });
    const antenna = await patch(`/readers/${id}/antennas/2`, {
      location_external_key: 'DOCK',
      min_rssi: -65,
      ...{ offset_db: 3, height_m: 2.4 },
    });
    const set = {
      ...{
        port: 2,
        name: null,
        device_port: null,
        location_external_key: 'DOCK',
        min_rssi: -65,
        enabled: true,
      },
      ...{ offset_db: 3, height_m: 2.4 },
    };
    expect(antenna.body.data).to.deep.equal(set);
    expect((await patch(`/readers/${id}/antennas/0`, {})).status).to.equal(400);
    for (const wrong of [{ offset_db: 101 }, { height_m: -1 }, { height_m: null }]) {
      expect((await patch(`/readers/${id}/antennas/2`, wrong)).status, JSON.stringify(wrong)).to.equal(400);
    }
    const named = { antenna: 'yard-left', location_external_key: 'DOCK' };
    const { body: added } = await post(`/readers/${id}/antennas`, named);
    expect(added.data).to.include({ port: -1, name: 'yard-left', location_external_key: 'DOCK' });
    const { body: high } = await post(`/readers/${id}/antennas`, { antenna: '40000' });
    expect(high.data).to.include({ port: -2, name: null, device_port: 40_000 });
    await patch(`/readers/${id}/antennas/-1`, { name: 'yard-right' });
    const { text, body } = await call({ path: '/readers' });
    expect(text).not.to.include(password);
    expect(body.data[0].antennas[0]).to.include({ port: -2, device_port: 40_000 });
    expect(body.data[0].antennas[1]).to.include({ port: -1, name: 'yard-right' });
    expect(body.data[0]).to.deep.include({ id, name: 'Portal', topic: 'site/portal', last_message_at: null });
    expect(body.data[0].antennas.at(-1)).to.deep.equal({ ...set, location_name: 'Dock' });
    expect(body.data[0].expect_seconds).to.equal(null);
    const renamed = await patch(`/readers/${id}`, { name: 'Gate', new_password: true, expect_seconds: 90 });
    expect((await call({ path: `/readers/${id}` })).body.data.expect_seconds).to.equal(90);
    expect((await patch(`/readers/${id}`, { expect_seconds: 14 })).status).to.equal(400);
    expect(renamed.body.data.mqtt_password).to.be.a('string').that.is.not.equal(password);
    expect((await call({ method: 'DELETE', path: `/readers/${id}` })).status).to.equal(204);
    expect((await call({ path: '/readers' })).body.data).to.deep.equal([]);
    const [{ count } = { count: 0 }] = await suite.database.rows<{ count: number }>(
      `select count(*)::integer as count from changes where actor_type = 'user' and resource_type in ('reader', 'antenna')`,
    );
    expect(count).to.equal(8);
  });

  it('says what goes wrong as a reader signs in, to its own organization', async () => {
    const [site, other] = [
      await Site.create(suite.database, 'Signing'),
      await Site.create(suite.database, 'Not'),
    ];
    const token = await suite.as('viewer', site.orgId);
    const id = await site.reader('twofold', [null]);
    expect((await call({ path: `/readers/${id}`, token })).body.data.sign_in_faults).to.deep.equal([]);
    for (const [code, options] of [
      [1, { protocolVersion: 5 }],
      [4, { password: 'wrong' }],
    ] as const) {
      const refused = connectReader(ingest.port, 'twofold', options);
      expect(await connected(refused).catch((error: Error) => error)).to.include({ code });
      await refused.endAsync(true);
    }
    const faults = async () => {
      const { text, body } = await call({ path: `/readers/${id}`, token });
      expect(text).not.to.include('127.0.0.1');
      const { sign_in_faults: found } = body.data;
      return found.map(
        ({ fault, in_hour: times }: { fault: string; in_hour: number }) => `${fault} ${times}`,
      );
    };
    await until(async () => String(await faults()) === 'wrong_credentials 1,mqtt_5 1');
    for (let time = 0; time < 8; time += 1) {
      await ingest.connect('twofold');
    }
    // It was let in since it spoke MQTT 5.
    await until(async () => String(await faults()) === 'shared_login 7,wrong_credentials 1');
    const stranger = await suite.as('admin', other.orgId);
    expect((await call({ path: `/readers/${id}`, token: stranger })).status).to.equal(404);
  });

  it('shows what arrives of a reader without a format, and what each format would read', async () => {
    const site = await Site.create(suite.database, 'Yard');
    const token = await suite.as('admin', site.orgId);
    const topic = `org-${site.orgId}/yard`;
    const made = await call({
      ...{ method: 'POST', path: '/readers', token },
      json: { name: 'New', topic, format: 'none' },
    });
    expect(made.status, made.text).to.equal(200);
    const { id, mqtt_username: username, mqtt_password: password } = made.body.data;
    const client = await ingest.connect(username, { password });
    const payload = JSON.stringify({
      data: { format: 'epc', idHex: 'ad99160040aac99525000099', antenna: 2, peakRssi: -54 },
      ...{ timestamp: '2026-02-24T10:14:42.851+0000', type: 'INVENTORY' },
    });
    await client.publishAsync(topic, payload, { qos: 1 });
    const { open, messages, formats } = (await call({ path: `/readers/${id}/arrivals`, token })).body.data;
    expect(open).to.equal(1);
    expect(messages[0]).to.deep.include({ topic, payload, is_text: true, size: payload.length });
    expect(messages[0].reason).to.include('no format yet');
    expect(formats[0]).to.deep.equal({
      ...{ format: 'zebra-iotc', reads: 1, ignored: 0, rejected: 0, messages_rejected: 0, reason: null },
      antennas: [2],
      example: { tag_type: 'rfid', value: 'AD99160040AAC99525000099', antenna: 2, rssi: -54 },
    });
    expect(formats.map(({ format }: { format: string }) => format)).to.include('tagtrail');
    const list = async (query: string) => (await call({ path: `/readers${query}`, token })).body;
    expect((await list('?state=no_format')).data[0]).to.deep.include({ id, state: 'no_format' });
    expect((await list('?state=heard')).total_count).to.equal(0);
    await call({ ...{ method: 'PATCH', path: `/readers/${id}`, token }, json: { format: 'zebra-iotc' } });
    // At once, as they belong together within 15 s; the first message may have been longer ago.
    await Promise.all([1, 2].map(() => client.publishAsync(topic, payload, { qos: 1 })));
    const { data } = await list('?q=NEW&sort=-last_message_at');
    expect(data[0]).to.deep.include({ id, state: 'new', format: 'zebra-iotc' });
    expect(data[0].counters).to.include({ messages: 3, messages_rejected: 1, reads: 2 });
    expect(data[0].stretch.messages).to.be.within(2, 3);
  });

  it('refuses topics of more than 512 bytes or 32 levels', async () => {
    for (const topic of ['ä'.repeat(257), 'a'.repeat(513), 'a/'.repeat(32)]) {
      const { status, text } = await post('/readers', { name: 'Deep', topic, format: 'tagtrail' });
      expect(status).to.equal(400);
      expect(text).to.match(/512|32 levels/);
    }
  });

  it('adds antennas to a reader up to a bound, and says what to do then', async () => {
    const site = await Site.create(suite.database, 'Full');
    const token = await suite.as('admin', site.orgId);
    const id = await site.reader('full', Array(1_024).fill(null));
    const set = (port: number) =>
      call({ method: 'PATCH', path: `/readers/${id}/antennas/${port}`, json: { min_rssi: -60 }, token });
    const refused = await set(1_025);
    expect(refused.status).to.equal(409);
    expect(refused.text).to.include(`Reader ${id} has 1024 antennas; the maximum is 1024; use one of these`);
    expect((await set(1_024)).status).to.equal(200);
  });

  it('draws when a reader was heard, silent and disconnected, and when it listened, in so many parts at most', async () => {
    const site = await Site.create(suite.database, 'Spans');
    const token = await suite.as('viewer', site.orgId);
    const reader = await site.reader('spans', []);
    await suite.database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
       select $1, $2, 'up', now() - make_interval(secs => at), now() - make_interval(secs => at - 5), 3
       from generate_series(20, 9 * 86400, 20) at
       where at not between 86400 and 2 * 86400`,
      [site.orgId, reader],
    );
    await suite.database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at)
       values ($1, $2, 'disconnected', now() - interval '2 days', now() - interval '1 day'),
         ($1, $2, 'disconnected', now() - interval '10 seconds', null)`,
      [site.orgId, reader],
    );
    await suite.database.rows(
      `insert into reader_proofs values ($1, $2, now() - interval '36 hours', now() - interval '35 hours',
         now() - interval '1 hour')`,
      [site.orgId, reader],
    );
    await suite.database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at)
       values ($1, $2, 'silent', now() - interval '5 seconds')`,
      [site.orgId, reader],
    );
    const { data } = (await call({ path: `/readers/${reader}/spans?days=7`, token })).body;
    const states = data.spans.map(({ state }: { state: string }) => state);
    expect(states).to.deep.equal(['up', 'disconnected', 'up', 'up', 'disconnected', 'silent']);
    const [first, away, late, , now] = data.spans;
    expect([late.learned_at === null, late.messages, first.learned_at]).to.deep.equal([false, null, null]);
    expect(first.from <= data.from, `${first.from} ${data.from}`).to.equal(true);
    expect(first.messages).to.be.within(5 * 4320 * 3, 5 * 4320 * 3 + 6);
    expect([away.messages, now.to]).to.deep.equal([null, null]);
  });

  it('register below a topic of the organization where there are others, and do not find out what those have', async () => {
    const { id: before } = await createReader(databaseOn(suite.database.pool), TEST_ACTOR, new Map(), {
      ...{ orgId: suite.orgId, name: 'Earlier', topic: 'dock/1', format: 'none', policies: {} },
    });
    const other = await Site.create(suite.database, 'Other');
    await other.reader('theirs', [], { topic: 'shared/portal' });
    const register = (topic: string) => post('/readers', { name: topic, topic, format: 'tagtrail' });
    const said = async (topic: string) => {
      const { status, body } = await register(topic);
      return [status, body.error.detail.replace(topic, 'T')];
    };
    const refused = [
      400,
      `Topic "T" must begin with org-${suite.orgId}/, because several organizations share this installation. If the device cannot ` +
        'publish there, ask the operator to register it (npx --no -- tagtrail reader create, or reader set)',
    ];
    // Taken, free, and what would take everything.
    for (const topic of [
      'shared/portal',
      'shared/+',
      'free/portal',
      '#',
      '+/portal',
      `org-${other.orgId}/x`,
    ]) {
      expect(await said(topic), topic).to.deep.equal(refused);
    }
    expect((await register(`org-${suite.orgId}/portal`)).status).to.equal(200);
    expect((await register(`org-${suite.orgId}/portal`)).status).to.equal(409);

    // From when the organization was alone.
    const change = (json: object) => call({ method: 'PATCH', path: `/readers/${before}`, json });
    expect((await change({ name: 'Renamed', topic: 'dock/1' })).status).to.equal(200);
    expect((await change({ topic: 'dock/2' })).status).to.equal(400);
    expect((await change({ topic: `org-${suite.orgId}/dock` })).status).to.equal(200);
  });

  it('do not find out whose topic it is that overlaps with one of their own', async () => {
    const other = await Site.create(suite.database, 'Everything');
    const everything = await other.reader('everything', [], { topic: `+/any/of them/#` });
    const topic = `org-${suite.orgId}/any/of them/1`;
    const answer = await post('/readers', { name: 'Portal', topic, format: 'tagtrail' });
    expect([answer.status, answer.body.error.detail]).to.deep.equal([
      409,
      `Topic ${topic} overlaps with one that is taken; choose another`,
    ]);
    await suite.database.rows('update readers set deleted_at = now() where id = $1', [everything]);
  });

  it('shows broker and push at the name of the console where they listen everywhere, and as they are elsewhere', async () => {
    const shown = async (host: string, name: string) => {
      const url = await suite.start(
        { CONSOLE_URL: 'http://tracking.example.com:8083' },
        { mqttUrl: `mqtt://${host}:1883`, pushUrl: `http://${host}:8085` },
      );
      const made = await fetch(`${url}/console/v1/readers`, {
        method: 'POST',
        headers: {
          ...{ Cookie: `tagtrail_session=${suite.token}`, Origin: 'http://tracking.example.com:8083' },
          ...{ 'Content-Type': 'application/json', 'X-Tagtrail-Console': '1' },
        },
        body: JSON.stringify({ name, topic: `org-${suite.orgId}/broker/${name}`, format: 'none' }),
      });
      const text = await made.text();
      expect(made.status, text).to.equal(200);
      const { mqtt_url: mqttUrl, push_url: pushUrl, id } = JSON.parse(text).data;
      expect(pushUrl).to.match(new RegExp(`/readers/v1/${id}$`));
      const cookie = { Cookie: `tagtrail_session=${suite.token}` };
      const page = (await (await fetch(`${url}/console/v1/readers/${id}`, { headers: cookie })).json()) as {
        data: object;
      };
      expect(page.data).to.include({ mqtt_url: mqttUrl, push_url: pushUrl });
      return [mqttUrl, pushUrl.replace(/\/readers.*/, '')];
    };
    const there = ['mqtt://tracking.example.com:1883', 'http://tracking.example.com:8085'];
    expect(await shown('0.0.0.0', 'every')).to.deep.equal(there);
    expect(await shown('[::]', 'every-6')).to.deep.equal(there);
    expect(await shown('127.0.0.1', 'here')).to.deep.equal([
      'mqtt://127.0.0.1:1883',
      'http://127.0.0.1:8085',
    ]);
  });

  it('lets a handheld in by a token, shown once, until it is revoked', async () => {
    const { id, token } = (await post('/handhelds', { name: 'Gun' })).body.data;
    expect(token).to.match(/^th_\d+_[\w-]{43}$/);
    const { text, body } = await call({ path: '/handhelds' });
    expect(text).not.to.include(token);
    expect(body.data).to.have.length(1);
    expect(body.data[0]).to.include({ id, name: 'Gun', expires_at: null, revoked_at: null });
    expect((await patch(`/handhelds/${id}`, { name: 'Gun 2' })).status).to.equal(204);
    const empty = await patch(`/handhelds/${id}`, { name: '' });
    expect([empty.status, empty.body.error.fields[0].field]).to.deep.equal([400, 'name']);
    expect((await call({ path: '/handhelds' })).body.data[0].name).to.equal('Gun 2');
    expect((await call({ method: 'DELETE', path: `/handhelds/${id}` })).status).to.equal(204);
    expect((await call({ path: '/handhelds' })).body.data[0].revoked_at).to.be.a('string');
  });

  it('lets a handheld in until its token expires', async () => {
    const past = await post('/handhelds', { name: 'Lent', expires_at: '2020-01-01T00:00:00Z' });
    expect([past.status, past.body.error.fields[0].field]).to.deep.equal([400, 'expires_at']);
    const { id } = (await post('/handhelds', { name: 'Lent', expires_at: '2100-01-01T00:00:00Z' })).body.data;
    const { data } = (await call({ path: '/handhelds' })).body;
    expect(data.at(-1)).to.include({ id, name: 'Lent', expires_at: '2100-01-01T00:00:00.000Z' });
  });

  it('shows the address at which a handheld signs in: of the setting, or on the machine that was asked', async () => {
    const { token, sign_in_url: own } = (await post('/handhelds', { name: 'Gun 3' })).body.data;
    expect(own).to.equal(`http://${new URL(suite.url).hostname}:8081/#sign-in/${token}`);
    const url = await suite.start({ HANDHELD_URL: 'https://scan.example.com' });
    const made = await fetch(`${url}/console/v1/handhelds`, {
      method: 'POST',
      headers: {
        ...{ Cookie: `tagtrail_session=${suite.token}`, Origin: url, 'X-Tagtrail-Console': '1' },
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ name: 'Gun 4' }),
    });
    const { data } = JSON.parse(await made.text());
    expect(data.sign_in_url).to.equal(`https://scan.example.com/#sign-in/${data.token}`);
  });
});
