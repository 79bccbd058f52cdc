import { expect } from 'chai';
import type { ReaderSource, Scan } from '../../../domain/tracking/scan.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const second = (count: number) => START + count * 1_000_000;

describe('unknown tags', () => {
  const database = useDatabase();
  let site: Site;
  let hall: number;
  let yard: number;
  let dock: number;
  let gate: number;
  let readers = 0;

  /** Every test has an organization, and so a list of unknown tags, of its own. */
  beforeEach(async () => {
    site = await Site.create(database);
    hall = await site.location('hall');
    yard = await site.location('yard');
    dock = await site.reader(`reader-${++readers}`, [hall, yard]);
    gate = await site.reader(`reader-${++readers}`, [yard]);
  });

  type Read = Partial<Parameters<typeof aRead>[0]>;

  function aScan(value: string, at: number, read: Read = {}, settings: Partial<ReaderSource> = {}): Scan {
    const scan = aRead({ orgId: site.orgId, readerId: dock, value, locationId: hall, at, ...read });
    return scan.source.kind === 'reader' ? { ...scan, source: { ...scan.source, ...settings } } : scan;
  }

  const listed = (of = site) =>
    database.rows(
      `select tag_type as "tagType", value, ambiguous, count, micros_of_time(first_seen) as "firstSeen",
         micros_of_time(last_seen) as "lastSeen", reader_id as "readerId", antenna, rssi,
         location_id as "locationId"
       from unknown_tags where org_id = $1 order by tag_type, tag_key`,
      [of.orgId],
    );
  const row = () => ({
    tagType: 'rfid',
    value: 'E28011',
    ambiguous: false,
    count: 1,
    firstSeen: START,
    lastSeen: START,
    readerId: dock,
    antenna: 1,
    rssi: null as number | null,
    locationId: hall as number | null,
  });

  it('are listed with what was seen of them', async () => {
    const outcomes = await record(database, [aScan('E28011', START, { antenna: 2, rssi: -61.5 })]);
    expect(outcomes).to.deep.equal([
      { status: 'unknown', observedAt: START, locationId: hall, tagLocationId: null },
    ]);
    expect(await listed()).to.deep.equal([{ ...row(), antenna: 2, rssi: -61.5 }]);
  });

  it('have one row, which counts every read and shows the last one', async () => {
    await record(database, [aScan('E28011', START), aScan('E28011', second(1), { rssi: -60 })]);
    await record(database, [aScan('E28011', second(5), { readerId: gate, locationId: yard, rssi: -70 })]);
    expect(await listed()).to.deep.equal([
      { ...row(), count: 3, lastSeen: second(5), readerId: gate, locationId: yard, rssi: -70 },
    ]);
  });

  it('have one row for all spellings of a key, with the last one', async () => {
    await record(database, [aScan('E28011', START), aScan('e2-80-11', second(1))]);
    expect(await listed()).to.deep.equal([{ ...row(), value: 'e2-80-11', count: 2, lastSeen: second(1) }]);
    await record(database, [aScan('e28011', second(2)), aScan('0E28011', second(3))]);
    expect(await listed()).to.deep.equal([{ ...row(), value: '0E28011', count: 4, lastSeen: second(3) }]);
  });

  it('are first seen earlier by a late read, which leaves the last one as it is', async () => {
    await record(database, [aScan('E28011', second(10), { rssi: -60 })]);
    await record(database, [aScan('e28011', START, { readerId: gate, locationId: yard, rssi: -50 })]);
    expect(await listed()).to.deep.equal([{ ...row(), count: 2, lastSeen: second(10), rssi: -60 }]);
  });

  it('show the last read also when a batch is not in order', async () => {
    await record(database, [
      aScan('E28011', second(5)),
      aScan('E28011', second(9), { readerId: gate, locationId: yard }),
      aScan('E28011', second(1)),
    ]);
    expect(await listed()).to.deep.equal([
      {
        ...row(),
        count: 3,
        firstSeen: second(1),
        lastSeen: second(9),
        readerId: gate,
        locationId: yard,
      },
    ]);
  });

  it('show the strongest of several reads at one instant', async () => {
    const strong = aScan('E28011', START, { readerId: gate, locationId: yard, rssi: -50 });
    const weak = [aScan('E28011', START, { rssi: -70 }), aScan('E28011', START, { antenna: 2 })];
    for (const batch of [
      [strong, ...weak],
      [...weak, strong],
    ]) {
      await database.rows('delete from unknown_tags where org_id = $1', [site.orgId]);
      await record(database, batch);
      expect(await listed()).to.deep.equal([
        { ...row(), count: 3, readerId: gate, locationId: yard, rssi: -50 },
      ]);
    }
  });

  it('have a row for each type and organization', async () => {
    const other = await Site.create(database, 'Globex');
    await record(database, [
      aScan('C30000250001', START, { tagType: 'ble' }),
      aScan('C30000250001', START),
      aScan('C30000250001', START, { tagType: 'barcode' }),
      aScan('C30000250001', START, {
        orgId: other.orgId,
        locationId: null,
        readerId: await other.reader('theirs', []),
      }),
    ]);
    expect((await listed()).map(({ tagType, count }) => [tagType, count])).to.deep.equal([
      ['barcode', 1],
      ['ble', 1],
      ['rfid', 1],
    ]);
    expect(await listed(other)).to.have.length(1);
  });

  it('are listed where they were read by a handheld, without a reader', async () => {
    const scan: Scan = {
      ...aScan('E28011', START),
      source: { kind: 'handheld', handheldId: 1, submissionId: 's1', index: 0 },
    };
    await record(database, [scan]);
    expect(await listed()).to.deep.equal([{ ...row(), readerId: null, antenna: null }]);
  });

  it('are listed also where the antenna has no location', async () => {
    const outcomes = await record(database, [aScan('E28011', START, { locationId: null })]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['unknown']);
    expect(await listed()).to.deep.equal([{ ...row(), locationId: null }]);
  });

  it('are listed without a location where that is not a live location of the organization', async () => {
    const elsewhere = await (await Site.create(database, 'Other')).location('ELSEWHERE');
    await record(database, [aScan('E28011', START, { locationId: elsewhere })]);
    expect(await listed()).to.deep.equal([{ ...row(), locationId: null }]);
  });

  it('are flagged while ambiguous', async () => {
    await site.asset('one', 'e28011');
    await site.asset('other', 'E28011');
    const outcomes = await record(database, [aScan('E2-8011', START)]);
    expect(outcomes).to.deep.equal([{ status: 'ambiguous', observedAt: START, locationId: hall }]);
    expect(await listed()).to.deep.equal([{ ...row(), value: 'E2-8011', ambiguous: true }]);
    await database.rows('update tags set detached_at = now() where org_id = $1', [site.orgId]);
    await record(database, [aScan('E2-8011', second(1))]);
    expect(await listed()).to.deep.equal([
      { ...row(), value: 'E2-8011', count: 2, lastSeen: second(1), ambiguous: false },
    ]);
  });

  it('are those of detached tags and of soft-deleted assets too', async () => {
    const assetId = await site.asset('gone', 'E28011');
    await database.rows('update assets set deleted_at = now() where id = $1', [assetId]);
    await database.rows('update tags set detached_at = now() where asset_id = $1', [assetId]);
    await record(database, [aScan('E28011', START)]);
    expect(await listed()).to.deep.equal([row()]);
  });

  const unlisted: [string, () => Promise<Scan>][] = [
    [
      'of a reader that does not report them',
      async () => aScan('E28011', START, {}, { reportUnknown: false }),
    ],
    ['of a redelivered message', async () => aScan('E28011', START, {}, { isRedelivery: true })],
    [
      'of a location, whose tag is known',
      async () => {
        await site.tag({ locationId: hall }, 'E28011');
        return aScan('e28011', START);
      },
    ],
    ['that are too late', async () => aScan('E28011', START, { receivedAt: START + 31 * 86_400_000_000 })],
  ];
  for (const [which, scan] of unlisted) {
    it(`are not listed for reads ${which}`, async () => {
      await record(database, [await scan()]);
      expect(await listed()).to.deep.equal([]);
    });
  }

  it('are not counted again for a redelivered message, beside others that are', async () => {
    await record(database, [aScan('E28011', START)]);
    await record(database, [
      aScan('E28011', START, {}, { isRedelivery: true }),
      aScan('E28012', START),
      aScan('E28013', START, {}, { reportUnknown: false }),
    ]);
    expect((await listed()).map(({ value, count }) => [value, count])).to.deep.equal([
      ['E28011', 1],
      ['E28012', 1],
    ]);
  });
});
