import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { expect } from 'chai';
import type mqtt from 'mqtt';
import { generate } from 'mqtt-packet';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createConsumer, deleteConsumer } from '../../../domain/administration/mqtt-consumers/consumers.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useDatabase } from '../../support/database.ts';
import { connected, connectReader, ingestConfig } from '../../support/ingest.ts';
import { hear, place } from '../../support/placed.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe('consumers at the embedded broker', () => {
  const database = useDatabase();
  const clients: mqtt.MqttClient[] = [];
  const logged: string[] = [];
  let lifecycle: Lifecycle;
  let metrics: Registry;
  let port: number;
  let acme: Site;
  let other: Site;
  let dock: number;
  let pallet: number;
  const topic = (key: string, site = acme) => `site/${site.orgId}/assets/${key}/location`;

  const start = async () => {
    const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) });
    lifecycle = new Lifecycle(log);
    metrics = new Registry();
    const config = {
      ...ingestConfig(database.url),
      MQTT_MOVES_PREFIX: 'site',
      MQTT_HOME_ASSISTANT_PREFIX: 'homeassistant',
    };
    ({ port } = await startEmbeddedIngest(config, log, lifecycle, { metrics }));
  };
  const stop = async () => {
    await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
    await lifecycle.stop();
  };
  const connect = async (username: string, password: string, options: mqtt.IClientOptions = {}) => {
    const client = connectReader(port, username, { password, ...options });
    clients.push(client);
    await connected(client);
    return client;
  };
  const consumer = (site: Site) =>
    createConsumer(databaseOn(database.pool), TEST_ACTOR, { orgId: site.orgId, name: 'Node-RED' });
  const consume = async (site: Site, options: mqtt.IClientOptions = {}) => {
    const { username, password } = await consumer(site);
    return connect(username, password, options);
  };
  const connections = async () =>
    Number((await metrics.getSingleMetric('tagtrail_broker_connections')?.get())?.values[0]?.value);
  /** A connection that subscribes to everything of Acme, and reads no more. */
  const takeNothing = async ({ username, password }: { username: string; password: string }) => {
    const socket = createConnection(port, '127.0.0.1');
    const clientId = `slow-${randomUUID()}`;
    socket.write(
      generate({ cmd: 'connect', clientId, clean: true, username, password: Buffer.from(password) }),
    );
    await once(socket, 'data');
    const subscriptions = [{ topic: `site/${acme.orgId}/#`, qos: 1 as const }];
    socket.write(generate({ cmd: 'subscribe', messageId: 1, subscriptions }));
    await once(socket, 'data');
    return socket.pause();
  };
  const publishAcmeAgain = () =>
    database.rows('update mqtt_feeds set snapshot_after = 0 where org_id = $1', [acme.orgId]);
  /** The codes of the SUBACK. */
  const granted = (client: mqtt.MqttClient, filters: string | string[]) =>
    new Promise<readonly unknown[]>((resolve, reject) => {
      client.subscribe(filters, (error, _, packet) =>
        packet === undefined ? reject(error ?? new Error('no answer')) : resolve(packet.granted),
      );
    });

  before(async () => {
    acme = await Site.create(database, 'Acme');
    other = await Site.create(database, 'Other');
    dock = await acme.location('DOCK');
    await acme.reader('portal', [dock], { topic: topic('PALLET') });
    pallet = await acme.asset('PALLET', 'E2801160');
    await place(database, acme.orgId, { assetId: pallet, locationId: dock, since: '2026-05-01T10:00:00Z' });
    const [hall, crane] = [await other.location('HALL'), await other.asset('CRANE')];
    await place(database, other.orgId, { assetId: crane, locationId: hall, since: '2026-05-01T10:00:00Z' });
    await start();
  });
  database.beforeDrop(stop);

  it('are given where everything of their organization is, and are told of moves', async () => {
    const heard = await hear(await consume(acme), `site/${acme.orgId}/#`);
    await until(() => heard.now.has(topic('PALLET')));
    const late = await hear(await consume(acme), topic('PALLET'));
    await until(() => late.all.length > 0);
    expect(late.all[0]).to.deep.include({ retain: true });
    const gate = await acme.location('GATE');
    await place(database, acme.orgId, { assetId: pallet, locationId: gate, since: '2026-05-01T11:00:00Z' });
    await until(() => heard.now.get(topic('PALLET'))?.location.external_key === 'GATE');
    expect([...heard.now.keys()]).to.deep.equal([topic('PALLET')]);
  });

  it('may subscribe to nothing else', async () => {
    const client = await consume(other);
    for (const filter of [
      '#',
      '+/#',
      'site/#',
      `site/+/assets/#`,
      `site/${acme.orgId}/#`,
      '$SYS/#',
      'site',
      '+/+/assets/+/location',
      `site/${other.orgId}/${'a/'.repeat(32)}x`,
      `site/${other.orgId}/${'a'.repeat(512)}`,
    ]) {
      expect(await granted(client, filter), filter).to.deep.equal([128]);
    }
    expect(await granted(client, `site/${other.orgId}/assets/+/location`)).to.deep.equal([0]);
  });

  it('find the sensors of their own organization in discovery, and of no other', async () => {
    const heard = await hear(await consume(acme), 'homeassistant/#');
    const [own] = await database.rows<{ topic: string }>(
      `select topic from mqtt_topics where asset_id = $1 and topic like 'homeassistant/%'`,
      [pallet],
    );
    await until(() => heard.all.length > 0);
    const others = await hear(await consume(other), 'homeassistant/+/+/+/config');
    await until(() => others.all.length > 0);
    expect([...heard.now.keys()]).to.deep.equal([own?.topic]);
    expect([...others.now.keys()].join()).to.match(
      new RegExp(`^homeassistant/sensor/tagtrail-${other.orgId}/asset-\\d+/config$`),
    );
  });

  it('publish nothing, without being cut off for trying, nor by a last will', async () => {
    const heard = await hear(await consume(acme), `site/${acme.orgId}/#`);
    await until(() => heard.now.has(topic('PALLET')));
    const before = heard.all.length;
    const writer = await consume(acme, {
      will: { topic: topic('PALLET'), payload: Buffer.from('{}'), qos: 1, retain: true },
    });
    await writer.publishAsync(topic('PALLET'), '{"location":null}', { qos: 1, retain: true });
    await writer.publishAsync('site/portal', JSON.stringify({ value: 'E2801160' }), { qos: 1 });
    expect(writer.connected).to.equal(true);
    writer.stream.destroy();
    const late = await hear(await consume(acme), `site/${acme.orgId}/#`);
    await until(() => late.now.has(topic('PALLET')));
    expect(late.now.get(topic('PALLET'))).to.have.nested.property('location.external_key');
    expect(heard.all).to.have.lengthOf(before);
    expect(await database.rows('select from scan_events')).to.have.lengthOf(0);
  });

  it('are kept from readers, who neither read there nor write there', async () => {
    const heard = await hear(await consume(acme), `site/${acme.orgId}/#`);
    await until(() => heard.now.has(topic('PALLET')));
    const before = heard.all.length;
    // Its topic is the very one at which the asset's location is published.
    const reader = await connect('portal', 'portal');
    expect(await granted(reader, topic('PALLET'))).to.deep.equal([128]);
    await reader.publishAsync(topic('PALLET'), JSON.stringify({ value: 'E0' }), { qos: 1, retain: true });
    const late = await hear(await consume(acme), `site/${acme.orgId}/#`);
    await until(() => late.now.has(topic('PALLET')));
    expect(late.now.get(topic('PALLET'))).to.have.property('since');
    expect(heard.all).to.have.lengthOf(before);
  });

  it('need the right password, and are cut off when they are deleted', async () => {
    const { id, username, password } = await consumer(acme);
    const client = await connect(username, password);
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    await deleteConsumer(databaseOn(database.pool), TEST_ACTOR, id);
    await closed;
    const refusal = (name: string, secret: string) =>
      connect(name, secret).then(
        () => 'taken',
        (error: { code: number }) => error.code,
      );
    expect(await refusal(username, password)).to.equal(4);
    expect(await refusal((await consumer(acme)).username, 'wrong')).to.equal(4);
    expect(await refusal('consumer-999', 'x')).to.equal(4);
  });

  it('come again by themselves while their organization moves to another cell', async () => {
    const moving = await Site.create(database, 'Moving');
    const hold = (at: string | null) =>
      database.rows('update organizations set deleted_at = $2, held_at = $2 where id = $1', [
        moving.orgId,
        at,
      ]);
    const client = await consume(moving, { reconnectPeriod: 20 });
    const errors: unknown[] = [];
    let closes = 0;
    client.on('error', (error) => errors.push(error));
    client.on('close', () => {
      closes += 1;
    });
    await hold('2026-05-01T10:00:00Z');
    await until(() => closes >= 3);
    await hold(null);
    await until(() => client.connected);
    expect(errors).to.deep.equal([]);
  });

  it('are given everything again after the broker was started anew', async () => {
    await stop();
    await start();
    const heard = await hear(await consume(acme), `site/${acme.orgId}/#`);
    await until(() => heard.now.has(topic('PALLET')));
  });

  it('that take nothing delay nobody, and are cut off for what waits for them', async () => {
    const slow = await takeNothing(await consumer(acme));
    let below: number | null = null;
    for (let depth = 0; depth < 10; depth++) {
      below = await acme.location(`${'H'.repeat(250)}-${depth}`, below);
    }
    const fillings = await database.rows<{ id: number }>(
      `insert into assets (org_id, external_key, name) select $1, 'FILL-' || n, 'filling'
       from generate_series(1, 4000) n returning id`,
      [acme.orgId],
    );
    await database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen, is_in_feed)
       select $1, unnest($2::integer[]), $3, now(), now(), true`,
      [acme.orgId, fillings.map(({ id }) => id), below],
    );
    const reader = await connect('portal', 'portal');
    const payload = JSON.stringify({ value: 'E2801160' });
    const before = await connections();
    let published = 0;
    while ((await connections()) >= before) {
      if (published % 20 === 0) {
        await publishAcmeAgain();
      }
      await reader.publishAsync(topic('PALLET'), payload, { qos: 1 });
      published += 1;
    }
    // Acknowledged while the slow one was still connected; a busy machine has fewer.
    expect(published).to.be.above(2);
    expect(logged.join()).to.include('bytes wait for it');
    slow.destroy();
  });

  it('are refused beyond a number of connections of their organization', async () => {
    const { username, password } = await consumer(acme);
    const refused: mqtt.MqttClient[] = [];
    for (let count = 0; count < 101 && refused.length === 0; count++) {
      const client = connectReader(port, username, {
        password,
        reconnectPeriod: 0,
        clientId: `many-${count}`,
      });
      clients.push(client);
      const answer = await new Promise((resolve) => {
        client.once('connect', () => resolve('taken'));
        client.once('close', () => resolve('refused'));
      });
      if (answer === 'refused') {
        refused.push(client);
      }
    }
    expect(refused).to.have.lengthOf(1);
    await consume(other);
  });

  it('are refused beyond a number of subscriptions of their organization, until some end', async () => {
    const many = await Site.create(database, 'Many');
    const filters = (count: number, name: string, site = many) =>
      Array.from({ length: count }, (_, index) => `site/${site.orgId}/${name}/${index}`);
    const refusedOf = async (client: mqtt.MqttClient, asked: readonly string[]) => {
      let refused = 0;
      for (let start = 0; start < asked.length; start += 2_000) {
        refused += (await granted(client, asked.slice(start, start + 2_000))).filter(
          (code) => code === 128,
        ).length;
      }
      return refused;
    };
    const [first, second] = [await consume(many), await consume(many)];
    expect(await refusedOf(first, filters(30_000, 'a'))).to.equal(0);
    expect(await refusedOf(second, filters(20_100, 'b'))).to.equal(100);
    expect(logged.join()).to.include('its organization has 50000 subscriptions');
    expect(await refusedOf(first, filters(10, 'a')), 'those that it has').to.equal(0);
    expect(await refusedOf(second, filters(1, 'c'))).to.equal(1);
    expect(await refusedOf(await consume(other), filters(10, 'a', other)), 'another organization').to.equal(
      0,
    );

    await first.unsubscribeAsync([...filters(5, 'a'), ...filters(5, 'never')]);
    expect(await refusedOf(second, filters(10, 'c')), 'after five were ended').to.equal(5);
    await first.endAsync();
    expect(await refusedOf(second, filters(200, 'd')), 'after a connection ended').to.equal(0);
  });
});
