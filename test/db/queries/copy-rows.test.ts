import { expect } from 'chai';
import pg from 'pg';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { copyRows } from '../../../db/timescale/queries/copy-rows.ts';
import { useDatabase } from '../../support/database.ts';

const MICROS = Date.UTC(2026, 4, 1, 10) * 1_000;

describe('rows by COPY', () => {
  const database = useDatabase();
  const target = { table: 'copied', columns: ['id', 'small', 'big', 'real', 'flag', 'note', 'at'] };

  interface Row {
    id: number;
    small: number | null;
    big: number | null;
    real: number | null;
    flag: boolean;
    note: string | null;
    at: number | null;
  }

  beforeEach(async () => {
    await database.rows('drop table if exists copied');
    await database.rows(`create table copied (id integer primary key, small smallint, big bigint, "real" float8,
      flag boolean, note text, at timestamptz)`);
  });

  const copy = (client: pg.ClientBase, rows: readonly Row[]) =>
    copyRows(client, target, rows, (into, row) => {
      into.integer(row.id);
      into.smallint(row.small);
      into.bigint(row.big);
      into.double(row.real);
      into.boolean(row.flag);
      into.text(row.note);
      into.timestamp(row.at);
    });

  const stored = () =>
    database.rows<Row>(
      `select id, small, big, "real", flag, note, micros_of_time(at) as at from copied order by id`,
    );

  const aRow = (id: number, rest: Partial<Row> = {}): Row => ({
    ...{ id, small: 1, big: 1, real: -54.5, flag: true, note: 'a', at: MICROS + id },
    ...rest,
  });

  async function onClient<Result>(pipeline: boolean, work: (client: pg.Client) => Promise<Result>) {
    const client = new pg.Client({ connectionString: database.url, pipeline } as pg.ClientConfig);
    await client.connect();
    return work(client).finally(() => client.end());
  }

  it('are stored as they were given, whatever is in them', async () => {
    const rows = [
      aRow(1, {
        small: -32_768,
        big: Number.MIN_SAFE_INTEGER,
        real: 1e-300,
        at: Date.UTC(1969, 11, 31) * 1_000,
      }),
      aRow(2, { small: null, big: null, real: null, note: null, at: null }),
      aRow(3, { big: Number.MAX_SAFE_INTEGER, flag: false, note: '\\N \t\r\n "quoted" \u{1f4e6} Grüße' }),
      aRow(4, { big: -1, note: '', at: Date.UTC(2100, 0, 1) * 1_000 + 123_457 }),
      aRow(-2_147_483_648, { note: 'x'.repeat(100_000) }),
    ];
    for (const pipeline of [true, false]) {
      await database.empty('copied');
      expect(await onClient(pipeline, (client) => copy(client, rows))).to.equal(rows.length);
      expect(await stored()).to.deep.equal(rows.toSorted((a, b) => a.id - b.id));
    }
  });

  it('are counted, also when there are none or many', async () => {
    const many = Array.from({ length: 20_000 }, (_, id) => aRow(id));
    expect(await onClient(true, (client) => copy(client, []))).to.equal(0);
    expect(await onClient(true, (client) => copy(client, many))).to.equal(20_000);
    expect(await stored()).to.deep.equal(many);
  });

  it('go between other statements that are sent without waiting', async () => {
    await onClient(true, async (client) => {
      const answers = await Promise.all([
        client.query('select count(*)::integer as count from copied'),
        copy(client, [aRow(1), aRow(2)]),
        client.query({ name: 'count', text: 'select count(*)::integer as count from copied' }),
        copy(client, [aRow(3)]),
        client.query({ name: 'count', text: 'select count(*)::integer as count from copied' }),
      ]);
      const counts = answers.map((answer) => (typeof answer === 'number' ? answer : answer.rows[0]?.count));
      expect(counts).to.deep.equal([0, 2, 2, 1, 3]);
    });
  });

  it('that are refused leave nothing, the reason, and a connection that works', async () => {
    await onClient(true, async (client) => {
      await copy(client, [aRow(1)]);
      const [refused, after] = await Promise.allSettled([
        copy(client, [aRow(2), aRow(1)]),
        client.query('select count(*)::integer as count from copied'),
      ]);
      expect(refused).to.have.property('status', 'rejected');
      expect((refused as PromiseRejectedResult).reason)
        .to.be.instanceOf(pg.DatabaseError)
        .with.property('code', '23505');
      expect((after as PromiseFulfilledResult<pg.QueryResult>).value.rows).to.deep.equal([{ count: 1 }]);
      expect(await copy(client, [aRow(2)])).to.equal(1);
    });
  });

  it('into what is not there fail, and so do those in a transaction that has failed', async () => {
    const pool = createWritePool(database.url, { max: 1 });
    const client = await pool.connect();
    const nowhere = await copyRows(client, { table: 'nowhere', columns: ['id'] }, [1], (into, id) =>
      into.integer(id),
    ).catch((error: unknown) => error);
    expect(nowhere).to.have.property('code', '42P01');
    await client.query('begin');
    await client.query('select 1/0').catch(() => {});
    expect(await copy(client, [aRow(1)]).catch((error: unknown) => error)).to.have.property('code', '25P02');
    await client.query('rollback');
    expect(await copy(client, [aRow(1)])).to.equal(1);
    client.release();
    await pool.end();
  });
});
