import { expect } from 'chai';
import { inTransaction } from '../../../db/timescale/transaction.ts';
import type { Outcome, ReaderSource, Scan } from '../../../services/shared/tracking/scan.ts';
import { recordUnknownTags } from '../../../services/shared/tracking/unknown-tags.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';
import { aRead, record } from './recording.ts';

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
  const values = async (of = site) => (await listed(of)).map(({ value }) => value).toSorted();

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
    expect(outcomes).to.deep.equal([{ status: 'unknown', observedAt: START, locationId: null }]);
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
    await record(database, [aScan('0E28011', second(2))]);
    expect(await listed()).to.deep.equal([{ ...row(), value: '0E28011', count: 3, lastSeen: second(2) }]);
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

  it('are flagged while ambiguous', async () => {
    await site.asset('one', 'e28011');
    await site.asset('other', 'E28011');
    const outcomes = await record(database, [aScan('E2-8011', START)]);
    expect(outcomes).to.deep.equal([{ status: 'ambiguous', observedAt: START }]);
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
    expect(await values()).to.deep.equal(['E28011']);
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

  describe('are bounded in number', () => {
    /** Records reads as unknown with a small bound; a transaction that had to be run again is an error. */
    async function see(kept: number, ...scans: Scan[]) {
      const outcomes: Outcome[] = scans.map(({ receivedAt }) => ({
        status: 'unknown',
        observedAt: receivedAt,
        locationId: null,
      }));
      await inTransaction(database.pool, async (client, attempt) => {
        expect(attempt).to.equal(1);
        await recordUnknownTags(client, scans, outcomes, kept);
      });
    }
    const seen = (value: string, at: number, read: Read = {}) => aScan(value, second(at), read);

    it('with the one longest not seen going first', async () => {
      await see(3, seen('t1', 1), seen('t2', 2), seen('t3', 3));
      expect(await values()).to.deep.equal(['t1', 't2', 't3']);
      await see(3, seen('t4', 4));
      expect(await values()).to.deep.equal(['t2', 't3', 't4']);
      await see(3, seen('t2', 5));
      await see(3, seen('t5', 6));
      expect(await values()).to.deep.equal(['t2', 't4', 't5']);
    });

    it('within one batch too, in whatever order', async () => {
      await see(2, seen('t3', 3), seen('t5', 5), seen('t1', 1), seen('t4', 4), seen('t2', 2));
      expect(await values()).to.deep.equal(['t4', 't5']);
    });

    it('in each organization for itself', async () => {
      const other = await Site.create(database, 'Globex');
      const theirs = await other.reader(`reader-${++readers}`, []);
      const inTheirs = { orgId: other.orgId, readerId: theirs };
      await see(2, seen('a1', 1, inTheirs), seen('a2', 2, inTheirs));
      await see(2, seen('t3', 3), seen('t4', 4), seen('t5', 5));
      expect(await values()).to.deep.equal(['t4', 't5']);
      expect(await values(other)).to.deep.equal(['a1', 'a2']);
      await see(2, seen('t6', 6), seen('a7', 7, inTheirs));
      expect(await values()).to.deep.equal(['t5', 't6']);
      expect(await values(other)).to.deep.equal(['a2', 'a7']);
    });

    it('by recorders at once that see the same tags in opposite orders', async () => {
      const all = Array.from({ length: 30 }, (_, index) => seen(`t${10 + index}`, index));
      const batches = Array.from({ length: 12 }, (_, index) => {
        const part = all.slice(index % 5, 20 + (index % 10));
        return index % 2 === 0 ? part : part.toReversed();
      });
      await Promise.all(batches.map((batch) => see(8, ...batch)));
      await see(8, ...all);
      expect(await values()).to.deep.equal(['t32', 't33', 't34', 't35', 't36', 't37', 't38', 't39']);
    });
  });
});
