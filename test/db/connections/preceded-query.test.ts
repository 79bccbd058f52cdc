import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { sendPreceded } from '../../../db/timescale/connections/preceded-query.ts';
import { useDatabase } from '../../support/database.ts';

const SET = {
  name: 'set',
  text: `select from (select set_config('tagtrail.org_id', (12 / $1::integer)::text, true) as value offset 0) setting
    where value is null`,
};
const GET = `select current_setting('tagtrail.org_id', true) as value`;

describe('a query behind another statement', () => {
  const database = useDatabase();
  let client: pg.Client;

  before(async () => {
    client = new pg.Client({ ...connectionConfig(database.url), pipeline: true });
    await client.connect();
    await client.query({ ...SET, values: ['1'] });
    database.beforeDrop(() => client.end());
  });

  const send = (value: string, query: pg.QueryConfig) =>
    sendPreceded(client, [{ name: SET.name, text: SET.text, values: [value] }], query);

  it('sees what that statement sets, which nothing after it does', async () => {
    const [behind, after] = await Promise.all([send('3', { text: GET }), client.query(GET)]);
    expect(behind.rows).to.deep.equal([{ value: '4' }]);
    expect(behind).to.include({ command: 'SELECT', rowCount: 1 });
    expect(after.rows).to.deep.equal([{ value: '' }]);
  });

  it('does not run if that statement fails', async () => {
    await client.query('create table ran (value integer)');
    const insert = { text: 'insert into ran values ($1)', values: [1] };
    const [failed] = await Promise.allSettled([send('0', insert), send('1', insert)]);
    expect(failed).to.have.nested.property('reason.code', '22012');
    expect((await client.query('select count(*) as count from ran')).rows).to.deep.equal([{ count: 1 }]);
  });

  it('gets its own answer, whichever of those sent at once fail', async () => {
    const sent = Array.from({ length: 300 }, (_, index) => {
      const query = {
        name: `named-${index % 3}`,
        text: `select $1::integer + ${index % 3} as sum`,
        values: [index],
      };
      const answer =
        index % 5 === 0
          ? send('0', { text: GET })
          : index % 7 === 0
            ? send('1', { text: 'select 1 / 0' })
            : index % 11 === 0
              ? client.query(query)
              : send('1', query);
      return answer.then(
        ({ rows }) => rows[0]?.sum,
        (error: pg.DatabaseError) => error.code,
      );
    });
    (await Promise.all(sent)).forEach((answer, index) => {
      const isFailing = index % 5 === 0 || index % 7 === 0;
      expect(answer).to.equal(isFailing ? '22012' : index + (index % 3));
    });
  });

  it('reads the rows of a prepared statement the same each time it runs', async () => {
    const query = (id: number) => ({
      name: 'typed',
      text: `select $1::integer as id, case when $1 > 1 then now() end as at, '{"a":1.50}'::json as json, array[$1::integer] as counts`,
      values: [id],
    });
    const [first, second, third] = [
      await send('1', query(1)),
      await send('1', query(2)),
      await send('1', query(1)),
    ];
    expect(third.rows).to.deep.equal(first.rows);
    expect(third.fields).to.deep.equal(first.fields);
    expect(Object.keys(second.rows[0])).to.deep.equal(['id', 'at', 'json', 'counts']);
    expect(second.rows[0]).to.deep.include({ id: 2, json: '{"a":1.50}', counts: [2] });
    expect(second.rows[0].at).to.be.a('string');
  });

  it('is refused if its columns are others than they were', async () => {
    await client.query('create table changing (value integer)');
    await client.query('insert into changing values (1)');
    const query = { name: 'changing', text: 'select * from changing', values: [] };
    expect((await send('1', query)).rows).to.deep.equal([{ value: 1 }]);
    await client.query('alter table changing alter value type text');
    const [refused] = await Promise.allSettled([send('1', query)]);
    expect(refused).to.have.nested.property('reason.message', 'cached plan must not change result type');
  });
});
