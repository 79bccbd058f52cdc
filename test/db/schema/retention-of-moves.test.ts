import { expect } from 'chai';
import { sweepMoves } from '../../../db/timescale/schema/retention.ts';
import { useDatabase } from '../../support/database.ts';
import { sealedDaysAgo as sealed } from '../../support/sealed-days-ago.ts';
import { Site } from '../../support/site.ts';

describe('retention of the move feed', () => {
  const database = useDatabase();
  let orgId: number;
  let assetId: number;

  beforeEach(async () => {
    const site = await Site.create(database);
    orgId = site.orgId;
    assetId = await site.asset('PALLET');
  });

  const sealedDaysAgo = (days: number, count: number) => sealed(database, { orgId, assetId }, days, count);

  it('drops the oldest events, says where the feed begins now, and leaves positions as they are', async () => {
    await sealedDaysAgo(100, 3);
    await sealedDaysAgo(85, 2);
    await sealedDaysAgo(1, 2);
    expect(await sweepMoves(database.pool, 50)).to.equal(1);
    expect(await positions()).to.deep.equal([6, 7]);
    expect(await head()).to.deep.equal({ head: 7, oldest: 6 });
    expect(await firstPositions()).to.deep.equal([6]);
    await sealedDaysAgo(0, 1);
    expect(await positions()).to.deep.equal([6, 7, 8]);
    expect(await sweepMoves(database.pool, 50)).to.equal(0);
  });

  it('can drop all of them, and the next gets the next position', async () => {
    await sealedDaysAgo(100, 3);
    expect(await sweepMoves(database.pool, 7)).to.equal(1);
    expect(await head()).to.deep.equal({ head: 3, oldest: 4 });
    expect(await positions()).to.deep.equal([]);
    await sealedDaysAgo(0, 1);
    expect(await positions()).to.deep.equal([4]);
    expect(await head()).to.deep.equal({ head: 4, oldest: 4 });
    expect(await firstPositions()).to.deep.equal([4]);
  });

  it('is the only one who may delete any', async () => {
    await sealedDaysAgo(1, 1);
    const refusal = await database.rows('delete from moves').catch((error: unknown) => error);
    expect(refusal).to.have.property('message', 'rows of moves are never changed');
  });

  async function positions(): Promise<number[]> {
    const rows = await database.rows<{ position: number }>(
      'select position from moves where org_id = $1 order by position',
      [orgId],
    );
    return rows.map(({ position }) => position);
  }

  async function head(): Promise<unknown> {
    const [row] = await database.rows('select head, oldest from move_heads where org_id = $1', [orgId]);
    return row;
  }

  async function firstPositions(): Promise<number[]> {
    const rows = await database.rows<{ first: number }>(
      'select first_position as first from move_days where org_id = $1 order by first_position',
      [orgId],
    );
    return rows.map(({ first }) => first);
  }
});
