import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { useDatabase } from '../../support/database.ts';

const PEOPLE = ['users', 'memberships', 'sessions', 'user_links', 'known_devices'];

describe('the database', () => {
  const database = useDatabase();

  it('shows users to the role that signs them in and to no other', async () => {
    for (const role of ['tagtrail_api', 'tagtrail_access']) {
      const client = new pg.Client(connectionConfig(database.url, 'test', role));
      await client.connect();
      for (const table of PEOPLE) {
        const asked = await client
          .query(`select from ${table}`)
          .catch((error: pg.DatabaseError) => error.code);
        expect(asked, `${role} ${table}`).to.equal('42501');
      }
      await client.end();
    }
  });

  it('gives the role that signs users in no right to anything else', async () => {
    const rows = await database.rows<{ name: string; privilege: string }>(`
      select class.relname as name, privilege from pg_class class
      cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate']) as privilege
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
        and has_table_privilege('tagtrail_people', class.oid, privilege)
      order by name, privilege`);
    const granted = rows.map(({ name, privilege }) => `${name} ${privilege}`);
    const all = ['delete', 'insert', 'select', 'update'];
    expect(granted).to.deep.equal(
      [
        'alert_mail_recipients delete',
        'changes insert',
        'organizations select',
        ...[...PEOPLE, 'refused_sign_ins'].flatMap((table) =>
          (table === 'users' ? all.slice(1) : all).map((privilege) => `${table} ${privilege}`),
        ),
      ].sort(),
    );
  });
});
