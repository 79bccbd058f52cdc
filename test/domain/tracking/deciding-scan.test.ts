import { expect } from 'chai';
import { recomputeOrganization } from '../../../domain/tracking/recompute/recompute-organization.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { useDatabase } from '../../support/database.ts';
import { storeHistory } from '../../support/earlier-history.ts';
import { aRead, decidingScan, record, storedDecisions, storedHistory } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const second = (count: number) => START + count * 1_000_000;

describe('a transition keeps the scan that decided it', () => {
  const database = useDatabase();
  let site: Site;
  let readers: number[];
  let A = 0;
  let B = 0;
  let C = 0;
  let value = '';
  let assetId = 0;
  let assets = 0;

  before(async () => {
    site = await Site.create(database);
    readers = [await site.reader('one', [null]), await site.reader('other', [null])];
    A = await site.location('A');
    B = await site.location('B');
    C = await site.location('C');
  });

  beforeEach(async () => {
    value = `asset-${++assets}`;
    assetId = await site.asset(value, value);
  });

  const read = (locationId: number, at: number, rssi: number | null = null, reader = 0, late = 0): Scan =>
    aRead({
      orgId: site.orgId,
      readerId: readers[reader] ?? 0,
      value,
      locationId,
      at: second(at),
      rssi,
      receivedAt: second(at + late),
    });
  const byHand = (locationId: number, at: number, index: number): Scan => ({
    ...read(locationId, at),
    source: { kind: 'handheld', handheldId: 7, submissionId: `of ${value}`, index },
  });

  async function expectDecided(...scans: (Scan | null)[]): Promise<void> {
    const decided = (await storedDecisions(database, assetId)).map(({ decidedBy }) => decidedBy);
    expect(decided).to.deep.equal(scans.map((scan) => (scan === null ? null : decidingScan(scan))));
  }

  it("a reader's and a handheld's, in order and late", async () => {
    await record(database, [read(A, 0, -50.5), byHand(B, 10, 0)]);
    await record(database, [byHand(A, 5, 1), read(B, 4, -40, 1, 60), read(A, 20)]);
    await expectDecided(
      read(A, 0, -50.5),
      read(B, 4, -40, 1, 60),
      byHand(A, 5, 1),
      byHand(B, 10, 0),
      read(A, 20),
    );
  });

  it('the stronger of two at the instant at which it begins, though that comes late', async () => {
    await record(database, [read(A, 0), read(B, 10, -60), read(A, 20), read(A, 30)]);
    await record(database, [read(B, 10, -50, 1, 60)]);
    await expectDecided(read(A, 0), read(B, 10, -50, 1, 60), read(A, 20));
    await record(database, [read(A, 20, -50, 1, 60)]);
    await expectDecided(read(A, 0), read(B, 10, -50, 1, 60), read(A, 20, -50, 1, 60));
  });

  it('whatever comes late before a transition whose scan is gone', async () => {
    await record(database, [read(A, 0), read(B, 10), read(C, 20), read(A, 30)]);
    await database.rows('delete from scan_events where asset_id = $1 and observed_at = time_of_micros($2)', [
      assetId,
      second(10),
    ]);
    await record(database, [read(C, 5)]);
    await expectDecided(read(A, 0), read(C, 5), read(A, 30));
  });

  it('of one instant and place the strongest, then a handheld, then the first reader, whatever came first', async () => {
    const first = read(A, 0, null, 0);
    const rivals = [read(A, 0, null, 1), first, byHand(A, 0, 1), byHand(A, 0, 0), read(A, 0, -90, 1)];
    const winners = [rivals[0], first, byHand(A, 0, 1), byHand(A, 0, 0), read(A, 0, -90, 1)];
    for (const [index, scan] of rivals.entries()) {
      await record(database, [scan]);
      await expectDecided(winners[index] ?? null);
    }
    value = `${value}-again`;
    assetId = await site.asset(value, value);
    const again = [byHand(A, 0, 0), byHand(A, 0, 1), read(A, 0, null, 0), read(A, 0, null, 1)];
    await record(database, again.toReversed());
    await expectDecided(byHand(A, 0, 0));
  });

  it('as strong as its strongest copy, received when the first came', async () => {
    await record(database, [read(A, 0, -60, 0, 1)]);
    await record(database, [read(B, 1)]);
    await record(database, [read(A, 0, -50, 0, 30)]);
    await expectDecided(read(A, 0, -50, 0, 1), read(B, 1));
    await record(database, [read(A, 0, -55, 0, 40)]);
    await expectDecided(read(A, 0, -50, 0, 1), read(B, 1));
  });

  it('not if an earlier version wrote it, until it is computed anew or another comes before it', async () => {
    await record(database, [read(A, 0), read(B, 10), read(A, 20)]);
    const history = await storedHistory(database, assetId);
    await storeHistory(database, { orgId: site.orgId, assetId }, history);
    await expectDecided(null, null, null);
    await record(database, [read(B, 30), read(C, 5)]);
    await expectDecided(null, read(C, 5), read(B, 10), null, read(B, 30));
    await recomputeOrganization(database.pool, site.orgId, { assetId });
    await expectDecided(read(A, 0), read(C, 5), read(B, 10), read(A, 20), read(B, 30));
  });
});
