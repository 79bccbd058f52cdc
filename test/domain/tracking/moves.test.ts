import { expect } from 'chai';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;

describe('the recorder returns which scans move an asset', () => {
  const database = useDatabase();
  let site: Site;
  let readerId: number;
  let A = 0;
  let B = 0;
  let C = 0;
  before(async () => {
    site = await Site.create(database);
    readerId = await site.reader('gate', [null]);
    A = await site.location('A');
    B = await site.location('B');
    C = await site.location('C');
  });

  let assets = 0;
  /** An asset that was read at A at second 10, and the outcomes of reads of it. */
  async function anAssetAtA(rssi: number | null = null) {
    const value = `asset-${++assets}`;
    await site.asset(value, value);
    const read = (locationId: number, second: number, strength: number | null = null) =>
      aRead({
        orgId: site.orgId,
        readerId,
        antenna: locationId,
        value,
        locationId,
        at: START + second * 1_000_000,
        rssi: strength,
      });
    const outcomesOf = async (...scans: Scan[]) =>
      (await record(database, scans)).map((outcome) =>
        outcome.status === 'recorded' ? outcome.move : outcome.status,
      );
    expect(await outcomesOf(read(A, 10, rssi))).to.deep.equal([{ from: null }]);
    return { read, outcomesOf };
  }

  it('one elsewhere, from where the scan before it left it', async () => {
    const { read, outcomesOf } = await anAssetAtA();
    expect(await outcomesOf(read(B, 11), read(B, 12), read(C, 13), read(A, 14))).to.deep.equal([
      { from: A },
      null,
      { from: B },
      { from: C },
    ]);
  });

  it('none that is older than what is known', async () => {
    const { read, outcomesOf } = await anAssetAtA();
    expect(await outcomesOf(read(B, 9))).to.deep.equal([null]);
    expect(await outcomesOf(read(B, 12), read(C, 11))).to.deep.equal([{ from: A }, null]);
  });

  it('of one instant the stronger, then the one at the smaller location', async () => {
    const { read, outcomesOf } = await anAssetAtA();
    expect(await outcomesOf(read(A, 11, -50), read(B, 11, -40))).to.deep.equal([null, { from: A }]);
    expect(await outcomesOf(read(C, 12, -50), read(B, 12, -60))).to.deep.equal([{ from: B }, null]);
    expect(await outcomesOf(read(B, 13), read(A, 13))).to.deep.equal([{ from: C }, { from: B }]);
    expect(await outcomesOf(read(B, 14), read(C, 14))).to.deep.equal([{ from: A }, null]);
  });

  it('of the very instant of the last one the stronger, each as if it had come alone', async () => {
    const { read, outcomesOf } = await anAssetAtA(-60);
    expect(await outcomesOf(read(B, 10, -61))).to.deep.equal([null]);
    expect(await outcomesOf(read(B, 10.000001, -70), read(C, 10.000001, -50))).to.deep.equal([
      { from: A },
      { from: B },
    ]);
    const tied = await anAssetAtA(-60);
    expect(await tied.outcomesOf(tied.read(C, 10, -50), tied.read(B, 10, -40))).to.deep.equal([
      { from: A },
      { from: C },
    ]);
  });

  it('none that was recorded before, and one once of those that came twice', async () => {
    const { read, outcomesOf } = await anAssetAtA();
    expect(await outcomesOf(read(B, 11, -60), read(B, 11, -50), read(A, 10))).to.deep.equal([
      { from: A },
      'duplicate',
      'duplicate',
    ]);
    expect(await outcomesOf(read(B, 11, -40))).to.deep.equal(['duplicate']);
  });
});
