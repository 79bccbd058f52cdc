import { expect } from 'chai';
import { forgetAddresses } from '../../../db/timescale/schema/retention.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

describe('retention of addresses that people signed in from', () => {
  const database = useDatabase();

  it('takes them out of the change log after their days, and leaves what else it says', async () => {
    const { orgId } = await Site.create(database);
    await database.rows(
      `insert into changes (org_id, at, actor_type, actor_id, action, resource_type, resource_id, external_key, after)
       select org_id, now() - make_interval(days => days), 'user', '7', action, 'session', days::text, 'ann@example.com',
         '{"user_id":7,"address":"203.0.113.77","by":"password"}'
       from (values ($1::integer, 'sign_in', 31), (null, 'sign_in', 32), ($1, 'sign_in', 29), ($1, 'other', 33))
         as logged (org_id, action, days)`,
      [orgId],
    );
    await database.rows(
      `insert into cell_moves (org_id, state, other_cell, applied) values ($1, 'arriving', 'other', '0/0')`,
      [orgId],
    );
    const logged = () =>
      database.rows<{ days: string }>(
        `select resource_id as days, actor_id, external_key, after ->> 'address' as address, after ->> 'user_id' as user_id,
           after ->> 'by' as by
         from changes where resource_type = 'session' order by 1`,
      );
    const before = await logged();
    expect(await forgetAddresses(database.pool, 30), 'while it arrives').to.equal(1);
    await database.rows('delete from cell_moves');
    expect(await forgetAddresses(database.pool, 30), 'once it is here').to.equal(1);
    expect(await logged()).to.deep.equal(
      before.map((entry) => (['31', '32'].includes(entry.days) ? { ...entry, address: null } : entry)),
    );
    expect(await forgetAddresses(database.pool, 30)).to.equal(0);
    const refused = await database.rows(`update changes set after = null`).catch((error: unknown) => error);
    expect(refused).to.have.property('code', '23000');
  });

  it('finds them by an index, however long the log is', async () => {
    const client = await database.pool.connect();
    await client.query('begin; set local enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain select from changes
       where action = 'sign_in' and after ->> 'address' is not null and at < now() - make_interval(days => 30)`,
    );
    await client.query('rollback');
    client.release();
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).to.include('changes__at_of_address');
  });
});
