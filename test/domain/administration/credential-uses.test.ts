import { expect } from 'chai';
import pg from 'pg';
import { type AccessDoor, openAccessDoor } from '../../../db/timescale/connections/access-door.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import {
  type CredentialTable,
  credentialKey,
  noteUses,
} from '../../../domain/administration/credential-uses.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

describe('the time a credential of a device or a consumer was last used', () => {
  const database = useDatabase();
  let pool: Pool;
  let asAccess: AccessDoor;
  let site: Site;
  let made = 0;
  before(async () => {
    site = await Site.create(database);
    pool = createWritePool(database.url, { max: 4 });
    asAccess = openAccessDoor(database.url, { max: 4 });
    database.beforeDrop(() => Promise.all([pool.end(), asAccess.end()]));
  });

  const insert = (statement: string) => async () => {
    made += 1;
    const [row] = await database.rows<{ id: number }>(statement, [site.orgId, `made ${made}`]);
    return row?.id ?? 0;
  };
  const create: Record<CredentialTable, () => Promise<number>> = {
    handhelds: insert(
      `insert into handhelds (org_id, name, token_sha256) values ($1, $2, sha256('x')) returning id`,
    ),
    readers: () => {
      made += 1;
      return site.reader(`made ${made}`, [null]);
    },
    mqtt_consumers: insert(
      `insert into mqtt_consumers (org_id, name, password_sha256) values ($1, $2, sha256('x')) returning id`,
    ),
  };
  /** As the role that does. */
  const note = (table: CredentialTable, uses: readonly { id: number; secondsAgo: number }[]) =>
    noteUses(
      table === 'handhelds' ? asAccess : pool,
      table,
      uses.map(({ id, secondsAgo }) => ({ id: credentialKey(site.orgId, id), secondsAgo })),
    );
  /** In seconds before now; null if never. */
  const age = async (table: CredentialTable, id: number) => {
    const [row] = await database.rows<{ age: number | null }>(
      `select extract(epoch from now() - last_used_at)::float8 as age from ${table} where id = $1`,
      [id],
    );
    return row?.age ?? null;
  };

  for (const table of ['handhelds', 'readers', 'mqtt_consumers'] as const) {
    describe(`in ${table}`, () => {
      it('is written once in a minute at most, and never goes back', async () => {
        const id = await create[table]();
        expect(await age(table, id)).to.equal(null);
        await note(table, [{ id, secondsAgo: 4_000 }]);
        await note(table, [{ id, secondsAgo: 5_000 }]);
        await note(table, [{ id, secondsAgo: 3_990 }]);
        expect(await age(table, id)).to.be.within(4_000, 4_600);
        await note(table, [{ id, secondsAgo: 0 }]);
        expect(await age(table, id)).to.be.within(0, 600);
      });

      it('is written for many at once, by several processes, and of none of another organization', async () => {
        const ids = await Promise.all(Array.from({ length: 20 }, create[table]));
        const uses = [...ids, 2_000_000_000].map((id, index) => ({ id, secondsAgo: 2_000 + 1_000 * index }));
        const orders = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? uses : uses.toReversed()));
        await Promise.all(orders.map((each) => note(table, each)));
        for (const { id, secondsAgo } of uses.slice(0, -1)) {
          expect(await age(table, id)).to.be.within(secondsAgo, secondsAgo + 600);
        }
        const [first = 0] = ids;
        await noteUses(pool, table, [{ id: credentialKey(site.orgId + 1, first), secondsAgo: 0 }]);
        expect(await age(table, first)).to.be.above(1_000);
      });
    });
  }

  it('is all that the role which looks handhelds up may change of them', async () => {
    const client = new pg.Client(connectionConfig(database.url, 'test', 'tagtrail_access'));
    await client.connect();
    for (const statement of [
      'update handhelds set last_used_at = now(), expires_at = null',
      'update handhelds set revoked_at = null',
      'update readers set last_used_at = now()',
      'delete from handhelds',
    ]) {
      const error = await client.query(statement).catch((e: unknown) => e);
      expect(error, statement).to.have.property('code', '42501');
    }
    await client.end();
  });

  it('is announced to nobody, as all else about them is', async () => {
    const client = await database.pool.connect();
    const heard: string[] = [];
    client.on('notification', ({ channel }) => heard.push(channel));
    await client.query('listen access_changed; listen registry_changed');
    const ids = { handhelds: await create.handhelds(), readers: await create.readers() };
    await database.rows(`select pg_notify('access_changed', 'before')`);
    while (!heard.includes('access_changed')) {
      await client.query('select');
    }
    heard.splice(0);
    for (const table of ['handhelds', 'readers'] as const) {
      await note(table, [{ id: ids[table], secondsAgo: 0 }]);
      expect(await age(table, ids[table])).not.to.equal(null);
    }
    await database.rows(`select pg_notify('access_changed', 'after')`);
    while (heard.length === 0) {
      await client.query('select');
    }
    client.release(true);
    expect(heard).to.deep.equal(['access_changed']);
    const unannounced = await database.rows(
      `select attname from pg_attribute, pg_trigger
       where attrelid = 'readers'::regclass and attnum > 0 and not attisdropped
         and tgrelid = attrelid and tgname = 'readers_changed' and not attnum = any (tgattr)`,
    );
    expect(unannounced).to.deep.equal([{ attname: 'last_used_at' }]);
  });
});
