import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type mqtt from 'mqtt';
import { pino } from 'pino';
import { readPublishedLag } from '../../../domain/moves/published/published-lag.ts';
import { openBrokerSink } from '../../../services/mqtt-ingest/moves-out/broker-sink.ts';
import { type PublishedMoves, publishMoves } from '../../../services/mqtt-ingest/moves-out/publish-moves.ts';
import { brokerAddress } from '../../../services/mqtt-ingest/source/broker-address.ts';
import { VersionChoice } from '../../../services/mqtt-ingest/source/protocol-version.ts';
import { useDatabase } from '../../support/database.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { type Heard, hear, place } from '../../support/placed.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe('moves published to a broker', () => {
  const broker = useMosquitto();
  const database = useDatabase();
  const running: PublishedMoves[] = [];
  let acme: Site;
  let other: Site;
  let yard: number;
  let dock: number;
  let gate: number;
  let watcher: mqtt.MqttClient;
  let heard: Heard;

  const start = (
    to: { prefix?: string; homeAssistant?: string | null } = {},
    options: { trustEvery?: number; settleSeconds?: number } = {},
  ) => {
    const publishing = publishMoves({
      ...options,
      databaseUrl: database.url,
      to: { prefix: 'site', homeAssistant: null, ...to },
      broker: broker.url,
      openSink: (signal) =>
        openBrokerSink(
          {
            address: brokerAddress(broker.url, { ca: null, cert: null, key: null }),
            clientId: 'tagtrail-moves',
            version: new VersionChoice(null),
          },
          signal,
        ),
      log: pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }),
    });
    running.push(publishing);
    return publishing;
  };
  const stopAll = () => Promise.all(running.splice(0).map((each) => each.stop()));
  database.beforeDrop(stopAll);

  before(async () => {
    acme = await Site.create(database, 'Acme');
    other = await Site.create(database, 'Other');
    yard = await acme.location('YARD');
    dock = await acme.location('DOCK', yard);
    gate = await acme.location('GATE', yard);
    watcher = await broker.connect();
    heard = await hear(watcher, 'site/+/assets/+/location');
    await watcher.subscribeAsync(['homeassistant/#', 'plant/#'], { qos: 1 });
  });
  afterEach(stopAll);

  const settled = (condition: () => boolean) => until(condition);
  const at = (key: string, orgId = acme.orgId, prefix = 'site') =>
    heard.now.get(`${prefix}/${orgId}/assets/${key}/location`);
  const moved = (assetId: number, locationId: number | null, since = '2026-05-01T10:00:00Z') =>
    place(database, acme.orgId, { assetId, locationId, since });

  it('begin with where everything is, not with how it came there, and follow the feed from there', async () => {
    const forklift = await acme.asset('FORKLIFT-1');
    for (const locationId of [dock, gate, dock, gate]) {
      await moved(forklift, locationId);
    }
    start();
    await settled(() => at('FORKLIFT-1') !== undefined);
    expect(at('FORKLIFT-1')).to.deep.equal({
      asset: { id: forklift, external_key: 'FORKLIFT-1', name: 'FORKLIFT-1' },
      location: {
        location_id: gate,
        external_key: 'GATE',
        name: 'GATE',
        path: [
          { external_key: 'YARD', name: 'YARD' },
          { external_key: 'GATE', name: 'GATE' },
        ],
      },
      since: '2026-05-01T10:00:00.000Z',
    });
    expect(heard.all.filter(({ topic }) => topic.includes('FORKLIFT-1'))).to.have.lengthOf(1);
    await moved(forklift, dock, '2026-05-01T11:00:00Z');
    await settled(() => at('FORKLIFT-1')?.location.external_key === 'DOCK');
    const late = await hear(await broker.connect(), `site/${acme.orgId}/#`);
    await settled(() => late.all.length > 0);
    expect(late.all[0]).to.deep.include({ retain: true, payload: at('FORKLIFT-1') });
  });

  it('come one by one and in order, of each asset every one', async () => {
    const pallet = await acme.asset('PALLET');
    start();
    for (let minute = 10; minute < 40; minute++) {
      await moved(pallet, minute % 2 === 0 ? dock : gate, `2026-05-01T10:${minute}:00Z`);
    }
    await settled(() => at('PALLET')?.since === '2026-05-01T10:39:00.000Z');
    const minutes = heard.all.flatMap(({ topic, payload }) =>
      topic.includes('/PALLET/') ? [payload.since.slice(14, 16)] : [],
    );
    expect(minutes).to.deep.equal([...minutes].sort());
    expect(new Set(minutes.map(Number))).to.deep.equal(
      new Set(Array.from({ length: 30 }, (_, index) => 10 + index)),
    );
  });

  it('are told one by one after a kill between sending and noting it, those not yet sent and the last that was', async () => {
    const crane = await acme.asset('CRANE');
    const told = () =>
      heard.all.flatMap(({ topic, payload }) =>
        topic.includes('/CRANE/') ? [payload.since.slice(14, 16)] : [],
      );
    start();
    for (const minute of ['10', '11', '12', '13']) {
      await moved(crane, dock, `2026-05-01T10:${minute}:00Z`);
      await settled(() => told().at(-1) === minute);
    }
    await stopAll();
    await database.rows('update mqtt_feeds set position = position - 2 where org_id = $1', [acme.orgId]);
    for (const minute of ['14', '15', '16']) {
      await moved(crane, gate, `2026-05-01T10:${minute}:00Z`);
    }
    const before = told().length;
    start();
    await settled(() => told().at(-1) === '16');
    expect(told().slice(before)).to.deep.equal(['13', '14', '15', '16']);
  });

  const toldOf = (key: string) =>
    heard.all.flatMap(({ topic, payload }) =>
      topic.includes(`/${key}/`) && payload !== null
        ? [`${payload.location.external_key} ${payload.since.slice(11, 16)}`]
        : [],
    );
  const caughtUp = () =>
    until(async () => {
      const [row] = await database.rows<{ behind: number }>(
        `select (feed.head - published.position)::int4 as behind from mqtt_feeds published
         join move_heads feed using (org_id) where org_id = $1`,
        [acme.orgId],
      );
      return row?.behind === 0;
    });

  it('wait for what they are told to wait, and tell where an asset is by then', async () => {
    const [crossing, wavering] = [await acme.asset('CROSSING'), await acme.asset('WAVERING')];
    for (const asset of [crossing, wavering]) {
      await moved(asset, dock, '2026-05-01T10:00:00Z');
    }
    start({}, { settleSeconds: 1 });
    await until(() => toldOf('CROSSING').length > 0 && toldOf('WAVERING').length > 0);
    const began = performance.now();
    await moved(crossing, gate, '2026-05-01T10:01:00Z');
    await moved(wavering, gate, '2026-05-01T10:01:00Z');
    await moved(wavering, dock, '2026-05-01T10:00:00Z');
    await moved(crossing, yard, '2026-05-01T10:02:00Z');
    await until(() => toldOf('CROSSING').length > 1);
    expect(performance.now() - began).to.be.at.least(950);
    await caughtUp();
    expect(toldOf('CROSSING')).to.deep.equal(['DOCK 10:00', 'YARD 10:02']);
    expect(toldOf('WAVERING')).to.deep.equal(['DOCK 10:00']);
    expect(await readPublishedLag(database.pool)).to.include({ lag: 0 });
  });

  it('tell once where an asset is after a kill, whatever was sent beyond what was noted', async () => {
    const asset = await acme.asset('ROAMING');
    start({}, { settleSeconds: 1 });
    await moved(asset, dock, '2026-05-01T10:00:00Z');
    await until(() => toldOf('ROAMING').length === 1);
    await caughtUp();
    await stopAll();
    for (const minute of ['01', '02', '03']) {
      await moved(asset, minute === '02' ? dock : gate, `2026-05-01T10:${minute}:00Z`);
    }
    // As if it had been killed before it noted what it had sent.
    await database.rows('update mqtt_feeds set position = position - 1 where org_id = $1', [acme.orgId]);
    start({}, { settleSeconds: 1 });
    await caughtUp();
    expect(toldOf('ROAMING').at(-1)).to.equal('GATE 10:03');
    expect(new Set(toldOf('ROAMING'))).to.deep.equal(new Set(['DOCK 10:00', 'GATE 10:03']));
  });

  it('say nothing new of a correction of the past', async () => {
    const crate = await acme.asset('CRATE');
    start();
    await moved(crate, dock);
    await settled(() => at('CRATE') !== undefined);
    await moved(crate, dock);
    const mark = await acme.asset('MARK');
    await moved(mark, dock);
    await settled(() => at('MARK') !== undefined);
    expect(heard.all.filter(({ topic }) => topic.includes('/CRATE/'))).to.have.lengthOf(1);
  });

  it('follow an asset to its new key, and clear what was kept of one that was deleted or is nowhere any more', async () => {
    const [renamed, deleted, undone] = [
      await acme.asset('OLD'),
      await acme.asset('GONE'),
      await acme.asset('UNDONE'),
    ];
    for (const assetId of [renamed, deleted, undone]) {
      await moved(assetId, dock);
    }
    start();
    await settled(() => at('UNDONE') !== undefined && at('GONE') !== undefined && at('OLD') !== undefined);
    await database.rows(`update assets set external_key = 'NEW' where id = $1`, [renamed]);
    await database.rows('update assets set deleted_at = now() where id = $1', [deleted]);
    await moved(undone, null);
    await settled(() => at('NEW') !== undefined && at('OLD') === undefined);
    await settled(() => at('GONE') === undefined && at('UNDONE') === undefined);
    const late = await hear(await broker.connect(), 'site/+/assets/+/location');
    await settled(() => late.now.size >= heard.now.size);
    expect([...late.now.keys()].sort()).to.deep.equal([...heard.now.keys()].sort());
    expect(await topicsNoted()).to.deep.equal([...heard.now.keys()].sort());
  });

  it('keep apart two assets that exchange their keys', async () => {
    const [one, two] = [await acme.asset('KEY-A'), await acme.asset('KEY-B')];
    await moved(one, dock);
    await moved(two, gate);
    start();
    await settled(() => at('KEY-A') !== undefined && at('KEY-B') !== undefined);
    await stopAll();
    await database.rows(`update assets set external_key = 'KEY-C' where id = $1`, [one]);
    await database.rows(`update assets set external_key = 'KEY-A' where id = $1`, [two]);
    await database.rows(`update assets set external_key = 'KEY-B' where id = $1`, [one]);
    start();
    await settled(() => at('KEY-A')?.asset.id === two && at('KEY-B')?.asset.id === one);
    await stopAll();
    expect(at('KEY-A')?.location.external_key).to.equal('GATE');
    expect(await topicsNoted()).to.include.members(
      ['A', 'B'].map((letter) => `site/${acme.orgId}/assets/KEY-${letter}/location`),
    );
  });

  it('tell the new name of a location of everything at it and below', async () => {
    const van = await acme.asset('VAN');
    await moved(van, dock);
    start();
    await settled(() => at('VAN') !== undefined);
    await database.rows(`update locations set name = 'North yard' where id = $1`, [yard]);
    await settled(() => at('VAN')?.location.path[0].name === 'North yard');
  });

  it('are those of each organization under its number, and those of a deleted one are cleared', async () => {
    const place2 = await other.location('HALL');
    const crane = await other.asset('FORKLIFT-1');
    await place(database, other.orgId, { assetId: crane, locationId: place2, since: '2026-05-01T10:00:00Z' });
    start();
    await settled(() => at('FORKLIFT-1', other.orgId) !== undefined);
    expect(at('FORKLIFT-1', other.orgId)?.location.external_key).to.equal('HALL');
    expect(at('FORKLIFT-1')?.location.external_key).to.equal('DOCK');
    await database.rows('update organizations set deleted_at = now() where id = $1', [other.orgId]);
    await settled(() => at('FORKLIFT-1', other.orgId) === undefined);
    expect(at('FORKLIFT-1')?.location.external_key).to.equal('DOCK');
    await database.rows('update organizations set deleted_at = null where id = $1', [other.orgId]);
  });

  it('appear in Home Assistant if that is wished, and disappear if not any more', async () => {
    start({ homeAssistant: 'homeassistant' });
    const [{ id } = { id: 0 }] = await database.rows<{ id: number }>(
      `select id from assets where external_key = 'VAN'`,
    );
    const topic = `homeassistant/sensor/tagtrail-${acme.orgId}/asset-${id}/config`;
    await settled(() => heard.now.has(topic));
    expect(heard.now.get(topic)).to.deep.include({
      unique_id: `tagtrail-${acme.orgId}-${id}`,
      state_topic: `site/${acme.orgId}/assets/VAN/location`,
      value_template: '{{ value_json.location.name }}',
    });
    await stopAll();
    start({ prefix: 'plant' });
    await settled(() => !heard.now.has(topic) && at('VAN', acme.orgId, 'plant') !== undefined);
    await settled(() => at('VAN') === undefined);
  });

  it('wait for a broker that is away, and for none to be lost', async () => {
    const cart = await acme.asset('CART');
    start();
    await moved(cart, dock, '2026-05-01T10:00:00Z');
    await settled(() => at('CART') !== undefined);
    await broker.stop();
    for (let minute = 10; minute < 20; minute++) {
      await moved(cart, minute % 2 === 0 ? gate : dock, `2026-05-01T12:${minute}:00Z`);
    }
    await broker.start();
    heard = await hear(await broker.connect(), 'site/+/assets/+/location');
    await settled(() => at('CART')?.since === '2026-05-01T12:19:00.000Z');
  });

  it('are sent again, and cleared again, to a broker that was killed before it wrote them down and is long away', async () => {
    const [lift, gone] = [await acme.asset('LIFT'), await acme.asset('SCRAPPED')];
    await moved(gone, dock);
    start();
    await settled(() => at('SCRAPPED') !== undefined);
    await broker.stop();
    await broker.start();
    heard = await hear(await broker.connect(), 'site/+/assets/+/location');
    await moved(lift, dock);
    await database.rows('update assets set deleted_at = now() where id = $1', [gone]);
    await settled(() => at('LIFT') !== undefined && at('SCRAPPED') === undefined);
    await until(async () => !(await topicsNoted()).some((topic) => topic.includes('SCRAPPED')));
    await broker.kill();
    await database.rows(`update mqtt_topics set sent_at = sent_at - interval '3 hours'`);
    await broker.start();
    heard = await hear(await broker.connect(), 'site/+/assets/+/location');
    await settled(() => at('LIFT') !== undefined && at('SCRAPPED') === undefined);
  });

  it('are trusted to be written down after an hour with the broker, and are not sent again', async () => {
    const [ramp, gone] = [await acme.asset('RAMP'), await acme.asset('BROKEN')];
    await moved(ramp, dock);
    await moved(gone, dock);
    start({}, { trustEvery: 0 });
    await settled(() => at('RAMP') !== undefined && at('BROKEN') !== undefined);
    await database.rows('update assets set deleted_at = now() where id = $1', [gone]);
    await settled(() => at('BROKEN') === undefined);
    await until(async () => !(await topicsNoted()).some((topic) => topic.includes('BROKEN')));
    await database.rows(`update mqtt_topics set sent_at = now() - interval '61 minutes'`);
    await until(
      async () => (await database.rows('select from mqtt_topics where sent_at is not null')).length === 0,
    );
    expect(await database.rows(`select from mqtt_topics where digest = ''`)).to.deep.equal([]);
    await stopAll();
    const before = heard.all.length;
    await moved(ramp, gate);
    start();
    await settled(() => at('RAMP')?.location.external_key === 'GATE');
    expect(heard.all.slice(before)).to.have.lengthOf(1);
  });

  it('are all sent again to a broker that has lost everything', async () => {
    start();
    await settled(() => at('LIFT') !== undefined);
    await database.rows(`update mqtt_topics set sent_at = null`);
    await broker.kill();
    rmSync(join(broker.folder, 'mosquitto.db'), { force: true });
    await broker.start();
    heard = await hear(await broker.connect(), 'site/+/assets/+/location');
    await settled(() => at('LIFT') !== undefined && at('VAN') !== undefined);
  });

  async function topicsNoted(): Promise<string[]> {
    const rows = await database.rows<{ topic: string }>(
      `select topic from mqtt_topics where digest is distinct from '' order by topic`,
    );
    return rows.map(({ topic }) => topic);
  }
});
