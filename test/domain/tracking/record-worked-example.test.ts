import { expect } from 'chai';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record, storedHistory, storedPosition } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

describe('recording the worked example', () => {
  const database = useDatabase();
  let site: Site;
  let readerId: number;
  let assets = 0;
  const locations = { A: 0, B: 0 };

  before(async () => {
    site = await Site.create(database);
    locations.A = await site.location('A');
    locations.B = await site.location('B');
    readerId = await site.reader('dock', [locations.A]);
  });

  const micros = (time: string) => Date.parse(`2026-05-01T${time}Z`) * 1_000;
  const time = (at: number) => new Date(at / 1_000).toISOString().slice(11, -1);
  const nameOf = (locationId: number) => (locationId === locations.A ? 'A' : 'B');

  /** All received at one time, so that only `observedAt` tells them apart. */
  function arrivals(value: string): Scan[] {
    const arrival = (at: string, location: 'A' | 'B') =>
      aRead({
        orgId: site.orgId,
        readerId,
        value,
        locationId: locations[location],
        at: micros(at),
        receivedAt: micros('10:30:00'),
      });
    return [
      arrival('10:00:00.000', 'A'),
      arrival('10:05:00.000', 'A'),
      arrival('10:10:00.900', 'B'),
      arrival('10:02:00.000', 'B'),
      arrival('09:58:00.000', 'A'),
      arrival('10:05:00.000', 'A'),
    ];
  }

  async function anAsset(): Promise<{ id: number; scans: Scan[] }> {
    const value = `pallet-${++assets}`;
    return { id: await site.asset(value, value), scans: arrivals(value) };
  }

  async function historyOf(assetId: number) {
    const rows = await storedHistory(database, assetId);
    return rows.map((row) => [time(row.observedAt), nameOf(row.locationId), row.durationSeconds]);
  }

  async function positionOf(assetId: number) {
    const position = await storedPosition(database, assetId);
    return position && [nameOf(position.locationId), time(position.since), time(position.lastSeen)];
  }

  const afterFour = [
    ['10:00:00.000', 'A', null],
    ['10:02:00.000', 'B', 120],
    ['10:05:00.000', 'A', 180],
    ['10:10:00.900', 'B', 300],
  ];
  const afterFive = [
    ['09:58:00.000', 'A', null],
    ['10:02:00.000', 'B', 240],
    ['10:05:00.000', 'A', 180],
    ['10:10:00.900', 'B', 300],
  ];
  const expected = [
    {
      status: 'recorded',
      history: [['10:00:00.000', 'A', null]],
      position: ['A', '10:00:00.000', '10:00:00.000'],
    },
    {
      status: 'recorded',
      history: [['10:00:00.000', 'A', null]],
      position: ['A', '10:00:00.000', '10:05:00.000'],
    },
    {
      status: 'recorded',
      history: [
        ['10:00:00.000', 'A', null],
        ['10:10:00.900', 'B', 600],
      ],
      position: ['B', '10:10:00.900', '10:10:00.900'],
    },
    { status: 'recorded', history: afterFour, position: ['B', '10:10:00.900', '10:10:00.900'] },
    { status: 'recorded', history: afterFive, position: ['B', '10:10:00.900', '10:10:00.900'] },
    { status: 'duplicate', history: afterFive, position: ['B', '10:10:00.900', '10:10:00.900'] },
  ];

  it('has its history, durations and current location after every arrival', async () => {
    const { id, scans } = await anAsset();
    for (const [index, scan] of scans.entries()) {
      const outcomes = await record(database, [scan]);
      const row = `row ${index + 1}`;
      expect(
        outcomes.map(({ status }) => status),
        row,
      ).to.deep.equal([expected[index]?.status]);
      expect(await historyOf(id), row).to.deep.equal(expected[index]?.history);
      expect(await positionOf(id), row).to.deep.equal(expected[index]?.position);
    }
  });

  const orders: [string, (scans: Scan[]) => Scan[][]][] = [
    ['in one batch', (scans) => [scans]],
    ['in one batch, newest first', (scans) => [scans.toReversed()]],
    ['one by one, last arrival first', (scans) => scans.toReversed().map((scan) => [scan])],
    ['twice over', (scans) => [scans, scans]],
    ['in two batches that overlap', (scans) => [scans.slice(2), scans.slice(0, 4)]],
  ];
  for (const [how, inBatches] of orders) {
    it(`ends in the same rows when it arrives ${how}`, async () => {
      const { id, scans } = await anAsset();
      for (const batch of inBatches(scans)) {
        await record(database, batch);
      }
      expect(await historyOf(id)).to.deep.equal(afterFive);
      expect(await positionOf(id)).to.deep.equal(['B', '10:10:00.900', '10:10:00.900']);
      const [stored] = await database.rows('select count(*) from scan_events where asset_id = $1', [id]);
      expect(stored).to.deep.equal({ count: 5 });
    });
  }
});
