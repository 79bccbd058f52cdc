import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { openPeopleDoor } from '../../../db/timescale/connections/people-door.ts';
import { acceptLink } from '../../../domain/administration/users/links/accept-link.ts';
import { makeFirstLink } from '../../../domain/administration/users/links/make-link.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useEarlierDatabase } from '../../support/earlier-database.ts';
import { PASSWORD, PLACE } from '../../support/people.ts';

const PEOPLE = ['users', 'memberships', 'sessions', 'user_links', 'known_devices'];

describe('an upgrade of an installation without users', () => {
  const earlier = useEarlierDatabase('0044');
  let orgId: number;
  let asItWas: unknown;
  const master = async () => (await earlier.client.query('select * from organizations, api_keys')).rows;
  before(async () => {
    const { rows } = await earlier.client.query(
      `insert into organizations (name) values ('Old') returning id`,
    );
    orgId = rows[0].id;
    await earlier.client.query(
      `insert into api_keys (org_id, id, name, scopes, secret_sha256) values ($1, 'K', 'erp', '{}', sha256('x'))`,
      [orgId],
    );
    asItWas = await master();
    await earlier.migrateOnce();
  });

  it('leaves what there is, and lets the first administrator in', async () => {
    expect(await master()).to.deep.equal(asItWas);
    await earlier.migrateOn();
    const door = openPeopleDoor(earlier.url, { max: 1 });
    const { token } = await makeFirstLink(door, TEST_ACTOR, orgId);
    const { userId } = await acceptLink(door, {
      ...PLACE,
      token,
      email: 'ann@example.com',
      name: 'Ann',
      password: PASSWORD,
    });
    await door.end();
    const { rows } = await earlier.client.query('select user_id, org_id, role from memberships');
    expect(rows).to.deep.equal([{ user_id: userId, org_id: orgId, role: 'admin' }]);
    const { rows: log } = await earlier.client.query(
      `select actor_type, actor_id, action, resource_type from changes where org_id = $1 order by id`,
      [orgId],
    );
    const user = { actor_type: 'user', actor_id: String(userId) };
    expect(log).to.deep.equal([
      { actor_type: 'command_line', actor_id: 'test', action: 'create', resource_type: 'link' },
      { ...user, action: 'create', resource_type: 'user' },
      { ...user, action: 'create', resource_type: 'membership' },
      { ...user, action: 'sign_in', resource_type: 'session' },
    ]);
  });

  it('shows users to the role that signs them in and to no other', async () => {
    for (const role of ['tagtrail_api', 'tagtrail_access']) {
      const client = new pg.Client(connectionConfig(earlier.url, 'test', role));
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
    const { rows } = await earlier.client.query(`
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
