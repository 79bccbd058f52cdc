import { expect } from 'chai';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { type CuttingProxy, openCuttingProxy } from '../../support/cutting-proxy.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';
import { unsealedMoves } from '../../support/unsealed-moves.ts';

describe('ingestion that tells the feed of moves', () => {
  const database = useDatabase();
  let proxy: CuttingProxy;
  let intake: TestIntake;
  let assetId = 0;
  /** How many events another connection finds, whenever the intake says that there are some. */
  const seen: Promise<number>[] = [];

  before(async () => {
    const site = await Site.create(database);
    assetId = await site.asset('PALLET', 'E280');
    await site.reader('portal', [await site.location('DOCK'), await site.location('HALL')]);
    proxy = await openCuttingProxy(database);
    const pool = createWritePool(proxy.url, { max: 2 });
    database.beforeDrop(() => pool.end());
    const onMoves = () => seen.push(unsealedMoves(database, assetId).then(({ length }) => length));
    intake = await openIntake(database, pool, { onMoves });
  });

  const read = (antenna: number) => intake.receive('portal', JSON.stringify({ value: 'E280', antenna }));

  it('says so once they are committed, and nothing where nothing moved', async () => {
    await read(1);
    await read(1);
    await intake.receive('portal', 'no JSON');
    await read(2);
    expect(await Promise.all(seen)).to.deep.equal([1, 2]);
  });

  it('says so also of a commit that was not answered', async () => {
    const before = seen.length;
    proxy.cutNext('after commit', (bytes) => bytes.includes('commit\0'));
    await read(1);
    expect(await unsealedMoves(database, assetId)).to.have.length(3);
    expect(await Promise.all(seen.slice(before))).to.deep.equal([3]);
  });
});
