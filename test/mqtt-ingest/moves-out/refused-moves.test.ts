import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { openBrokerSink } from '../../../services/mqtt-ingest/moves-out/broker-sink.ts';
import { type PublishedMoves, publishMoves } from '../../../services/mqtt-ingest/moves-out/publish-moves.ts';
import { brokerAddress } from '../../../services/mqtt-ingest/source/broker-address.ts';
import {
  type ProtocolVersion,
  VersionChoice,
} from '../../../services/mqtt-ingest/source/protocol-version.ts';
import { useDatabase } from '../../support/database.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { type Heard, hear, place } from '../../support/placed.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe('a message that the broker does not take', () => {
  const LARGEST = 900;
  const FOLLOWED = 'select from mqtt_feeds where snapshot_after is null';
  const broker = useMosquitto(({ folder }) => {
    deny(folder, null);
    return [`max_packet_size ${LARGEST}`, `acl_file ${join(folder, 'acl')}`];
  });
  const database = useDatabase();
  const running: PublishedMoves[] = [];
  const log: { msg: string; orgId?: number }[] = [];
  let bad: Site;
  let good: Site;
  let heard: Heard;

  const start = (version: ProtocolVersion) => {
    const publishing = publishMoves({
      databaseUrl: database.url,
      to: { prefix: 'site', homeAssistant: null },
      broker: broker.url,
      openSink: (signal) =>
        openBrokerSink(
          {
            address: brokerAddress(broker.url, { ca: null, cert: null, key: null }),
            clientId: 'tagtrail-moves',
            version: new VersionChoice(version),
          },
          signal,
        ),
      log: pino({ level: 'info' }, { write: (line) => log.push(JSON.parse(line)) }),
      again: { first: 20, longest: 100 },
    });
    running.push(publishing);
    return publishing;
  };
  const stopAll = () => Promise.all(running.splice(0).map((each) => each.stop()));
  database.beforeDrop(stopAll);
  afterEach(stopAll);

  beforeEach(async () => {
    log.length = 0;
    await database.rows('update organizations set deleted_at = now()');
    await database.empty('mqtt_feeds, mqtt_topics, mqtt_outdated, publishing_faults');
    // Organizations are served in the order of their ids.
    bad = await Site.create(database, 'Bad');
    good = await Site.create(database, 'Good');
    heard = await hear(await broker.connect(), 'site/+/assets/+/location');
  });

  function deny(folder: string, orgId: number | null): void {
    writeFileSync(
      join(folder, 'acl'),
      `topic readwrite #\n${orgId === null ? '' : `topic deny site/${orgId}/#\n`}`,
    );
  }
  const placeAt = async (site: Site, assetId: number, locationId: number, minutes: readonly number[]) => {
    for (const minute of minutes) {
      await place(database, site.orgId, { assetId, locationId, since: `2026-05-01T10:${minute}:00Z` });
    }
  };
  const minutesOf = ({ orgId }: Site, key: string) => [
    ...new Set(
      heard.all.flatMap(({ topic, payload }) =>
        topic === `site/${orgId}/assets/${key}/location` ? [Number(payload?.since.slice(14, 16))] : [],
      ),
    ),
  ];
  const faults = () =>
    database.rows<{ org_id: number; topic: string; reason: string }>(
      'select org_id, topic, reason from publishing_faults',
    );
  const logged = (part: string) => log.flatMap(({ msg, orgId }) => (msg.includes(part) ? [orgId] : []));

  it("and says so, holds up its own organization's moves, which are all told once it does", async () => {
    const [pallet, crate] = [await bad.asset('PALLET'), await good.asset('CRATE')];
    const [here, there] = [await bad.location('HERE'), await good.location('THERE')];
    await broker.stop();
    deny(broker.folder, bad.orgId);
    await broker.start();
    heard = await hear(await broker.connect(), 'site/+/assets/+/location');
    start(5);
    await until(async () => (await database.rows(FOLLOWED)).length === 2);
    await placeAt(bad, pallet, here, [10, 11, 12]);
    await until(async () => (await faults()).length > 0);
    await placeAt(good, crate, there, [10, 11, 12, 13]);
    await until(() => minutesOf(good, 'CRATE').at(-1) === 13);
    expect(minutesOf(bad, 'PALLET')).to.deep.equal([]);
    const [fault] = await faults();
    expect(fault).to.include({ org_id: bad.orgId, topic: `site/${bad.orgId}/assets/PALLET/location` });
    expect(fault?.reason).to.include('Not authorized');
    expect(logged('is not taken by the broker')).to.deep.equal([bad.orgId]);

    await stopAll();
    await broker.stop();
    deny(broker.folder, null);
    await broker.start();
    heard = await hear(await broker.connect(), 'site/+/assets/+/location');
    start(5);
    await until(() => minutesOf(bad, 'PALLET').at(-1) === 12);
    expect(minutesOf(bad, 'PALLET')).to.deep.equal([10, 11, 12]);
    await until(async () => (await faults()).length === 0);
    await until(() => logged('are published again').length === 1);
  });

  it('and that tells whether it has lost what is retained, holds up nobody', async () => {
    const [crate, there] = [await good.asset('CRATE'), await good.location('THERE')];
    await broker.stop();
    deny(broker.folder, 0);
    await broker.start();
    heard = await hear(await broker.connect(), 'site/+/assets/+/location');
    start(5);
    await placeAt(good, crate, there, [10]);
    await until(() => minutesOf(good, 'CRATE').length > 0);
    expect(logged('refused the marker that shows')).to.have.lengthOf(1);
    expect(await faults()).to.deep.equal([]);
    await stopAll();
    await broker.stop();
    deny(broker.folder, null);
    await broker.start();
  });

  it('but ends the connection on it, holds up its own organization only, until the asset has a name that goes', async () => {
    const [pallet, cart, crate] = [
      await bad.asset('PALLET'),
      await bad.asset('CART'),
      await good.asset('CRATE'),
    ];
    const [here, there] = [await bad.location('HERE'), await good.location('THERE')];
    await database.rows(
      `update assets set name = repeat(U&'\\+01F4E6', 255) where external_key = 'PALLET' and org_id = $1`,
      [bad.orgId],
    );
    start(4);
    await until(async () => (await database.rows(FOLLOWED)).length === 2);
    await placeAt(bad, cart, here, [10]);
    await until(() => minutesOf(bad, 'CART').at(-1) === 10);
    await placeAt(bad, pallet, here, [10, 11]);
    await placeAt(good, crate, there, [10, 11, 12, 13]);
    await until(async () => (await faults()).length > 0);
    expect((await faults())[0]?.topic).to.equal(`site/${bad.orgId}/assets/PALLET/location`);
    await placeAt(good, crate, there, [14, 15]);
    await until(() => minutesOf(good, 'CRATE').at(-1) === 15);
    expect(minutesOf(good, 'CRATE')).to.deep.equal([10, 11, 12, 13, 14, 15]);
    await placeAt(bad, cart, here, [16]);
    await database.rows(`update assets set name = 'Pallet' where external_key = 'PALLET'`);
    await until(() => minutesOf(bad, 'CART').at(-1) === 16 && minutesOf(bad, 'PALLET').at(-1) === 11);
    expect(minutesOf(bad, 'PALLET')).to.deep.equal([10, 11]);
    await until(async () => (await faults()).length === 0);
    expect(logged('is not taken by the broker')).to.deep.equal([bad.orgId]);
  });
});
