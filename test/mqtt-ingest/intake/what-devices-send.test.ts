import { expect } from 'chai';
import { examineReaders } from '../../../domain/health/readers.ts';
import { commandLineOn } from '../../support/command-line.ts';
import { useDatabase } from '../../support/database.ts';
import { countersOf, openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

const DAY = 86_400_000;

describe('reads as devices send them', () => {
  const database = useDatabase();
  const { json } = commandLineOn(() => database);
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
});
