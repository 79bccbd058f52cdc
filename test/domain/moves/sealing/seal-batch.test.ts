import { expect } from 'chai';
import pg from 'pg';
import { ADVISORY_LOCKS } from '../../../../db/timescale/connections/advisory-locks.ts';
import { connectionConfig } from '../../../../db/timescale/connections/connection.ts';
import { type Elected, elect } from '../../../../db/timescale/connections/elected.ts';
import { type Order, sealBatch } from '../../../../domain/moves/sealing/seal-batch.ts';
import { SettledIds } from '../../../../domain/moves/sealing/sealer.ts';
import { SEALING } from '../../../../domain/moves/sealing/sealing-session.ts';
import { useDatabase } from '../../../support/database.ts';
import { emptyStatistics } from '../../../support/empty-statistics.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { newOrganization, readSealed, writeUnsealed } from '../../../support/unsealed.ts';

describe('sealing', () => {
  const database = useDatabase();

  afterEach(() => database.empty('moves, move_heads, move_days, unsealed_moves'));

  it('gives the events of each organization positions from 1 on, without gaps, in order of recording', async () => {
    const [one, other] = [await newOrganization(database), await newOrganization(database)];
    for (const [orgId, count] of [
      [one, 3],
      [other, 2],
      [one, 1_500],
    ] as const) {
      await writeUnsealed(database, orgId, count);
    }
    expect(await sealAll(database.url)).to.equal(1_505);
    const sealed = await readSealed(database);
    const numbersOf = (orgId: number) =>
      sealed.filter(({ org_id }) => org_id === orgId).map(({ position, number }) => [position, number]);
    const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    expect(numbersOf(other)).to.deep.equal([
      [1, 1],
      [2, 2],
    ]);
    expect(numbersOf(one)).to.deep.equal(
      [...upTo(3), ...upTo(1_500)].map((number, index) => [index + 1, number]),
    );
    expect(await database.rows('select from unsealed_moves')).to.have.lengthOf(0);
    expect(await database.rows('select org_id, head, oldest from move_heads order by org_id')).to.deep.equal([
      { org_id: one, head: 1_503, oldest: 1 },
      { org_id: other, head: 2, oldest: 1 },
    ]);
  });

  it('does not hold up the event of one organization behind the backlog of another', async () => {
    const [long, short] = [await newOrganization(database), await newOrganization(database)];
    await writeUnsealed(database, long, 20_000);
    await writeUnsealed(database, short, 1);
    await sealAll(database.url);
    const [beyond] = await database.rows<{ count: number }>(
      `select count(*) as count from moves
       where org_id = $1 and sealed_at > (select sealed_at from moves where org_id = $2)`,
      [long, short],
    );
    expect(beyond?.count).to.be.above(10_000);
  });

  it('notes the first position of each day, and never goes back in time', async () => {
    const orgId = await newOrganization(database);
    await writeUnsealed(database, orgId, 2);
    await sealAll(database.url);
    await database.rows(`update move_heads set sealed_at = sealed_at + interval '2 days' where org_id = $1`, [
      orgId,
    ]);
    for (let round = 0; round < 2; round++) {
      await writeUnsealed(database, orgId, 3);
      await sealAll(database.url);
    }
    const days = await database.rows(
      `select day - min(day) over () as day, first_position from move_days order by first_position`,
    );
    expect(days).to.deep.equal([
      { day: 0, first_position: 1 },
      { day: 2, first_position: 3 },
    ]);
    const back = await database.rows(
      `select from moves one join moves other using (org_id)
       where one.position < other.position and one.sealed_at > other.sealed_at`,
    );
    expect(back).to.deep.equal([]);
  });

  it('gives the parts of a change consecutive positions, whatever is committed while they are sealed', async () => {
    const orgId = await newOrganization(database);
    const write = (id: number, parts: number) =>
      database.rows(
        `insert into unsealed_moves (id, part, parts, org_id, asset_id, kind, recorded_at, duration_seconds)
         select $1, part, $2, $3, 1, 'corrected', now(), $1 from generate_series(1, $2::integer) part`,
        [id, parts, orgId],
      );
    await write(900, 5);
    const sealing = await seal();
    const order = { orgId, after: 0, share: 2 };
    expect((await sealBatch(sealing.client, [order]))[0]).to.deep.include({ rows: 5, last_id: 900 });
    await write(800, 1);
    await write(901, 3);
    await sealBatch(sealing.client, [order]);
    await sealBatch(sealing.client, [order]);
    await sealing.leave();
    const sealed = await database.rows(
      'select duration_seconds as id, part from moves where org_id = $1 order by position',
      [orgId],
    );
    expect(sealed.map((row) => [row['id'], row['part']])).to.deep.equal([
      ...[1, 2, 3, 4, 5].map((part) => [900, part]),
      [800, 1],
      ...[1, 2, 3].map((part) => [901, part]),
    ]);
  });

  it('looks at what it seals and no more, however much waits, and however many dead rows are left before it', async () => {
    const orgId = await newOrganization(database);
    await emptyStatistics(database);
    const old = new pg.Client(connectionConfig(database.url, 'test'));
    await old.connect();
    await old.query('begin isolation level repeatable read');
    await old.query('select from organizations');
    await writeUnsealed(database, orgId, 20_000);
    expect(await entriesToSeal({ orgId, after: 0, share: 50 })).to.be.at.most(51);
    await sealAll(database.url);
    const settled = new SettledIds();
    await settled.advance(database.pool);
    await writeUnsealed(database, orgId, 10);
    expect(await entriesToSeal({ orgId, after: 0, share: 50 })).to.be.above(20_000);
    expect(await entriesToSeal({ orgId, after: settled.upTo, share: 50 })).to.be.at.most(11);
    await old.end();
  });

  async function seal(): Promise<Elected> {
    const elected = await elect(database.url, ADVISORY_LOCKS.sealing, SEALING);
    if (elected === null) {
      throw new Error('not elected');
    }
    return elected;
  }

  /** Entries of the queue's index that a batch visits, rolled back. */
  async function entriesToSeal(order: Order): Promise<number> {
    const { client: sealing, leave } = await seal();
    await sealing.query('begin');
    await sealBatch(sealing, [order]);
    const { rows } = await sealing.query<{ entries: number }>(
      `select pg_stat_get_xact_tuples_returned('unsealed_moves__org_id_id_part'::regclass)
         + pg_stat_get_xact_tuples_returned('unsealed_moves'::regclass) as entries`,
    );
    await sealing.query('rollback');
    await leave();
    return rows[0]?.entries ?? Number.NaN;
  }
});
