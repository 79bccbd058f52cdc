import { expect } from 'chai';
import { examineReaders } from '../../../domain/health/readers.ts';
import { commandLineOn } from '../../support/command-line.ts';
import { useDatabase } from '../../support/database.ts';
import { countersOf, openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

const DAY = 86_400_000;

describe('reads as devices send them', () => {
  const database = useDatabase();
  const { json, fails } = commandLineOn(() => database);
  let site: Site;
  let intake: TestIntake;
  let gate: number;
  let yard: number;
  before(async () => {
    site = await Site.create(database);
    gate = await site.location('GATE');
    yard = await site.location('YARD');
  });

  /** A new reader; ingestion knows those that were there when it was opened. */
  let made = 0;
  async function device(format: string, locations: (number | null)[], topic = `site/r${++made}`) {
    const reader = await site.reader(`reader ${++made}`, locations, { topic, format });
    intake = await openIntake(database);
    return { reader, topic };
  }
  const tagOf = (index: number) => `E2801160000002091234${String(index).padStart(4, '0')}`;
  const scansOf = (assetId: number) =>
    database.rows<{ location_id: number; rssi: number | null; at: number; time_is_received: boolean }>(
      `select location_id, rssi, extract(epoch from observed_at)::float8 * 1000 as at, time_is_received
       from scan_events where asset_id = $1 order by observed_at`,
      [assetId],
    );
  const positionOf = async (assetId: number) =>
    (await database.rows('select location_id from positions where asset_id = $1', [assetId]))[0];
  async function listed(readerId: number) {
    const rows: { id: number }[] = await json('reader', 'list', '--org', String(site.orgId));
    return rows.find(({ id }) => id === readerId) as Record<string, unknown>;
  }

  const findings = async () =>
    (await examineReaders(database.pool, site.orgId)).map(({ message }) => message).join('\n');

  it('have no strength where a device writes one that no radio hears', async () => {
    const asset = await site.asset('STRONG', tagOf(1));
    const { reader, topic } = await device('tagtrail', [gate]);
    for (const rssi of [127, 0, '-200', -50]) {
      await intake.receive(topic, JSON.stringify({ value: tagOf(1), rssi }));
    }
    expect((await scansOf(asset)).map(({ rssi }) => rssi)).to.have.members([null, null, null, -50]);
    expect(await listed(reader)).to.include({ rssi_unusable: 3, rssi_example: '-200' });
  });

  it('leave out measured values that are impossible, which are counted and named', async () => {
    const asset = await site.asset('HOT', tagOf(3));
    const { reader, topic } = await device('tagtrail', [gate]);
    for (const battery of [255, 55]) {
      const told = { temperature_c: -300, battery_percent: battery, humidity_percent: 40 };
      await intake.receive(topic, JSON.stringify({ value: tagOf(3), ...told }));
    }
    await intake.receive(topic, JSON.stringify({ value: tagOf(3), temperature_c: 4 }));
    const kept = await database.rows(
      'select temperature_c, battery_percent, humidity_percent from tag_readings where asset_id = $1 order by observed_at',
      [asset],
    );
    expect(kept).to.deep.equal([
      { temperature_c: null, battery_percent: null, humidity_percent: 40 },
      { temperature_c: null, battery_percent: 55, humidity_percent: 40 },
      { temperature_c: 4, battery_percent: null, humidity_percent: null },
    ]);
    const counted = { readings_unusable: 2, readings_example: 'temperature_c -300' };
    expect(await listed(reader)).to.include({ recorded: 3, ...counted });
    expect(await findings()).to.include('had a measured value that is impossible: "temperature_c -300"');
  });

  it('of OpenMQTTGateway are dated by its times, in either notation', async () => {
    const asset = await site.asset('BEACON');
    await site.tag({ assetId: asset }, '6087574C0A01', 'ble');
    await device('openmqttgateway', [gate], 'home/a/BTtoMQTT/+');
    await device('openmqttgateway', [yard], 'home/b/BTtoMQTT/+');
    const now = Math.floor(Date.now() / 1_000);
    const told = { id: '60:87:57:4C:0A:01', rssi: -70 };
    await intake.receive('home/a/BTtoMQTT/6087574C0A01', JSON.stringify({ ...told, unixtime: now }));
    await intake.receive(
      'home/b/BTtoMQTT/6087574C0A01',
      JSON.stringify({ ...told, UTCtime: new Date((now - 600) * 1_000).toISOString() }),
    );
    expect(await positionOf(asset)).to.deep.equal({ location_id: gate });
    expect((await scansOf(asset)).map(({ location_id: at }) => at)).to.deep.equal([yard, gate]);
  });

  it('count when they come where the time cannot be read, which is counted and named', async () => {
    const asset = await site.asset('UNREADABLE', tagOf(2));
    const { reader, topic } = await device('tagtrail', [gate]);
    await intake.receive(topic, JSON.stringify({ value: tagOf(2), observed_at: '2026-05-01T10:00:00' }));
    expect(await scansOf(asset)).to.have.length(1);
    expect(await listed(reader)).to.include({
      recorded: 1,
      time_unreadable: 1,
      time_example: '2026-05-01T10:00:00',
      clock_is_unset: false,
    });
    expect(await findings()).to.include('had a time that could not be read: "2026-05-01T10:00:00"');
  });

  for (const start of ['2019-01-01', '2016-01-01', '2014-12-31', '1970-01-01']) {
    it(`count when they come while a clock that began in ${start} is not set`, async () => {
      const asset = await site.asset(`UNSET-${start}`, tagOf(10 + made));
      const tag = tagOf(10 + made);
      const { reader, topic } = await device('zebra-iotc', [gate]);
      const before = Date.now();
      const read = (timestamp: string) =>
        intake.receive(topic, JSON.stringify({ data: { idHex: tag, antenna: 1 }, timestamp }));
      for (let second = 1; second <= 5; second++) {
        await read(`${start}T00:00:0${second}.000+0000`);
      }
      const scans = await scansOf(asset);
      expect(scans).to.have.length(5);
      for (const scan of scans) {
        expect(scan).to.include({ time_is_received: true });
        expect(scan.at).to.be.at.least(before);
      }
      expect(await countersOf(database, reader)).to.include({ recorded: 5, rejected: 0 });
      expect(await listed(reader)).to.include({ clock_unset: 5, clock_is_unset: true });
      expect(await findings()).to.include(`(reader ${reader}) has a clock that is not set`);

      await database.rows(`update reader_flaws set clock_unset_at = clock_unset_at - interval '2 minutes'`);
      await read(new Date().toISOString());
      expect(await listed(reader)).to.include({ recorded: 6, clock_is_unset: false });
    });
  }

  it('are too late from before the bound, where the reader was registered by then', async () => {
    await site.asset('LATE', tagOf(90));
    const { reader, topic } = await device('zebra-iotc', [gate]);
    await database.rows(`update readers set created_at = now() - interval '300 days' where id = $1`, [
      reader,
    ]);
    await intake.registry.whenFresh(() => {});
    const at = new Date(Date.now() - 200 * DAY).toISOString();
    const { topic: old } = await device('tagtrail', []);
    await intake.receive(old, '{}');
    await intake.receive(topic, JSON.stringify({ data: { idHex: tagOf(90) }, timestamp: at }));
    expect(await countersOf(database, reader)).to.include({ recorded: 0, rejected: 1 });
  });

  describe('at antennas with names', () => {
    const r700 = (value: string, antenna: object) =>
      JSON.stringify({
        eventType: 'tagInventory',
        timestamp: new Date().toISOString(),
        tagInventoryEvent: { epcHex: value, peakRssiCdbm: -5_325, ...antenna },
      });

    it('are unplaced and kept with the name until it is registered; then they are there', async () => {
      const asset = await site.asset('NAMED', tagOf(40));
      const { reader, topic } = await device('impinj-r700', [gate, yard]);
      await intake.receive(topic, r700(tagOf(40), { antennaName: 'yard-left' }));
      await intake.receive(topic, r700(tagOf(40), { antennaName: 'yard-left' }));
      await intake.receive(topic, r700(tagOf(40), { antennaPort: 7 }));
      await intake.receive(topic, r700(tagOf(40), {}));
      expect(await scansOf(asset)).to.deep.equal([]);
      const { unplaced, antennas } = await json('reader', 'antennas', '--reader', String(reader));
      expect(antennas).to.have.length(2);
      expect(
        unplaced.map(({ name, reads }: { name: string; reads: number }) => [name, reads]),
      ).to.have.deep.members([
        ['yard-left', 2],
        ['7', 1],
        ['', 1],
      ]);
      expect(await countersOf(database, reader)).to.include({ unplaced: 4, recorded: 0 });
      expect(await findings()).to.include('names antennas that nobody has registered (yard-left');

      const set = ['antenna', 'set', '--reader', String(reader)];
      expect(await json(...set, '--name', 'yard-left', '--location', 'YARD')).to.include({
        ...{ port: null, name: 'yard-left', location_external_key: 'YARD' },
      });
      intake = await openIntake(database);
      await intake.receive(topic, r700(tagOf(40), { antennaName: 'yard-left' }));
      expect(await positionOf(asset)).to.deep.equal({ location_id: yard });
      const after = await json('reader', 'antennas', '--reader', String(reader));
      expect(after.unplaced.map(({ name }: { name: string }) => name)).to.have.members(['7', '']);
      const why = await json('why', '--org', String(site.orgId), '--asset', 'NAMED');
      expect(why.decided_by).to.include({ reader_id: reader, antenna: 'yard-left' });

      // Both may be set: then either finds it.
      expect(await json(...set, '--name', 'yard-left', '--port', '7')).to.include({
        port: 7,
        name: 'yard-left',
      });
      expect(await json(...set, '--port', '1', '--name', 'gate-left')).to.include({
        port: 1,
        name: 'gate-left',
      });
      intake = await openIntake(database);
      await intake.receive(topic, r700(tagOf(40), { antennaName: 'gate-left' }));
      expect(await positionOf(asset)).to.deep.equal({ location_id: gate });
      await intake.receive(topic, r700(tagOf(40), { antennaPort: 7 }));
      expect(await positionOf(asset)).to.deep.equal({ location_id: yard });
    });

    it('are of the only antenna where none is named', async () => {
      const asset = await site.asset('ONLY', tagOf(41));
      const { topic } = await device('impinj-r700', [yard]);
      await intake.receive(topic, r700(tagOf(41), {}));
      expect(await positionOf(asset)).to.deep.equal({ location_id: yard });
    });

    it('with names in the shape of access tokens are unplaced, and masked as one', async () => {
      const { reader, topic } = await device('tagtrail', [gate]);
      const names = ['a', 'b'].map((letter) => `tt_1_${letter.repeat(43)}`);
      const payload = JSON.stringify(
        names.map((antenna, at) => ({ value: tagOf(1), antenna, rssi: -50 - at })),
      );
      const { counts } = await intake.receive(topic, payload);
      expect(counts).to.include({ unplaced: 2, rejected: 0 });
      const { unplaced } = await json('reader', 'antennas', '--reader', String(reader));
      expect(unplaced.map(({ name, reads }: { name: string; reads: number }) => [name, reads])).to.deep.equal(
        [[`tt_1_${'*'.repeat(43)}`, 2]],
      );
    });

    it('keep the names of the latest hundred', async () => {
      const { reader, topic } = await device('tagtrail', [gate]);
      for (const batch of [0, 1, 2]) {
        const reads = Array.from({ length: 60 }, (_, index) => ({
          value: 'X',
          antenna: `a${60 * batch + index}`,
        }));
        await intake.receive(topic, JSON.stringify(reads));
      }
      const { unplaced } = await json('reader', 'antennas', '--reader', String(reader));
      expect(unplaced).to.have.length(100);
      expect(unplaced[0].name).to.match(/^a1[2-7]\d$/);
    });

    it('may have ports up to 65535; two antennas are not made one, and a port is no name', async () => {
      const asset = await site.asset('HIGH', tagOf(42));
      const { reader, topic } = await device('tagtrail', [gate]);
      const set = ['antenna', 'set', '--reader', String(reader)];
      expect(await json(...set, '--port', '40000', '--location', 'YARD')).to.include({
        port: 40_000,
        name: null,
      });
      await json(...set, '--name=0', '--location', 'YARD');
      await fails(1, 'two antennas of reader', ...set, '--port', '1', '--name=0');
      await fails(2, 'is a port', ...set, '--name', '3');
      await fails(2, 'by its port, its name, or both', ...set);
      intake = await openIntake(database);
      await intake.receive(topic, JSON.stringify({ value: tagOf(42), antenna: 40_000 }));
      await intake.receive(topic, JSON.stringify({ value: tagOf(42), antenna: 0 }));
      expect((await scansOf(asset)).map(({ location_id: at }) => at)).to.deep.equal([yard, yard]);
    });
  });

  it('are asked for where a message without any holds something like a tag: one an hour is kept', async () => {
    const { reader, topic } = await device('tagtrail', [gate]);
    const bare = JSON.stringify({ devid: 'A', event: 'TAG_READ', epc: tagOf(50), ts: '1780591822281' });
    const { topic: keonn, reader: other } = await device('csl-cs463', [gate]);
    for (const payload of [bare, bare, '{"status":"ok"}']) {
      await intake.receive(keonn, payload);
    }
    await intake.receive(topic, JSON.stringify({ value: tagOf(51) }));
    expect(await listed(other)).to.include({ ignored: 3, near_misses: 2, messages_rejected: 0 });
    expect(await listed(reader)).to.include({ near_misses: 0 });
    const kept = async () => {
      const rows: { reader_id: number }[] = await json('rejected', 'list', '--org', String(site.orgId));
      return rows.filter(({ reader_id: id }) => id === other) as unknown as {
        kind: string;
        reason: string;
      }[];
    };
    const [only, ...more] = await kept();
    expect(more).to.deep.equal([]);
    expect(only?.kind).to.equal('near_miss');
    expect(only?.reason).to.match(/^Should this have been a read\? It holds E28.* keonn-advannet/);
    expect(await findings()).to.include(
      `(reader ${other}) had 2 messages ignored that hold something like a tag`,
    );

    await database.rows(
      `update reader_flaws set near_miss_kept_at = near_miss_kept_at - interval '61 minutes'`,
    );
    await intake.receive(keonn, bare);
    expect(await kept()).to.have.length(2);
  });

  it('are asked for by the bytes of an EPC, and not by objects in their place', async () => {
    const { reader, topic } = await device('csl-cs463', [gate]);
    for (const epc of [
      [{ toString: 1, valueOf: 1 }, 1, 2, 3],
      [226, 128, 17, 96],
    ]) {
      await intake.receive(topic, JSON.stringify({ epc }));
    }
    expect(await listed(reader)).to.include({ ignored: 2, near_misses: 1, messages_rejected: 0 });
  });
});
