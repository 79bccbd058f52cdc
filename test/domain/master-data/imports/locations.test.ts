import { expect } from 'chai';
import {
  type OrganizationDatabase,
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import { importFile } from '../../../../domain/master-data/imports/import-file.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useApi } from '../../../support/api.ts';
import { itByNight } from '../../../support/random-sets.ts';

const HEADER = 'external_key,name,parent_external_key,tags';

describe('importing locations', () => {
  const api = useApi();
  let door: OrganizationDoor;
  before(() => {
    door = openOrganizationDoor(api.database.url, { max: 4 });
  });
  after(() => door.end());

  const importing = (db: OrganizationDatabase, rows: readonly string[], isDryRun = false) =>
    importFile(
      db,
      TEST_ACTOR,
      'location',
      async function* () {
        yield Buffer.from([HEADER, ...rows].join('\n'));
      },
      { isDryRun },
    );

  async function site() {
    const { orgId, key } = await api.organization();
    const call = (method: string, path: string, json?: object) =>
      api.call({ method, path: `/api/v1/locations${path}`, key, ...(json === undefined ? {} : { json }) });
    return { orgId, call, db: door.of(orgId) };
  }

  /** How many ids each sequence has given. */
  const drawn = async () => {
    const rows = await api.database.rows<{ name: string; last: number }>(
      `select sequencename as name, coalesce(last_value, 0)::int8 as last from pg_sequences
       where sequencename in ('locations_id_seq', 'tags_id_seq')`,
    );
    return Object.fromEntries(rows.map(({ name, last }) => [name, Number(last)]));
  };

  itByNight('draws ids for what is committed only, and leaves no placeholder behind', async () => {
    const { db, orgId } = await site();
    const rows = Array.from(
      { length: 4_500 },
      (_, index) => `${index % 2 === 0 ? `L-${index}` : ''},n,${index > 1 ? 'L-0' : ''},rfid:L-${index}`,
    );
    const before = await drawn();
    expect(await importing(db, rows, true)).to.have.property('isImported', true);
    for (const wrong of ['X,n,NOWHERE,', 'X,n,X,', 'L-0,n,,', 'X,n,,rfid:L-7']) {
      expect(await importing(db, [...rows, wrong]), wrong).to.have.property('isImported', false);
    }
    expect(await drawn()).to.deep.equal(before);
    expect(await importing(db, rows)).to.have.property('isImported', true);
    const { locations_id_seq: locations = 0, tags_id_seq: tags = 0 } = before;
    expect(await drawn()).to.deep.equal({
      locations_id_seq: locations + 4_500,
      tags_id_seq: tags + 4_500,
    });
    const left = await api.database.rows(
      `select from locations where org_id = $1 and (id < 0 or parent_id < 0)
       union all select from tags where org_id = $1 and (id < 0 or location_id < 0)`,
      [orgId],
    );
    expect(left).to.deep.equal([]);
    const [below] = await api.database.rows<{ count: number }>(
      `select count(*)::int as count from locations child
       join locations parent on parent.org_id = child.org_id and parent.id = child.parent_id
       where child.org_id = $1 and parent.external_key = 'L-0'`,
      [orgId],
    );
    expect(below?.count).to.equal(4_498);
  });

  for (const known of ['nothing of its tables', 'others only', 'that nothing is left in them']) {
    const test = known === 'nothing of its tables' ? it : itByNight;
    test(`finds rows and parents by their keys, though the database knows ${known}`, async () => {
      const { db } = await site();
      for (const table of ['locations', 'tags']) {
        if (known === 'others only') {
          await api.database.rows(`analyze ${table}`);
        }
        await api.database.rows(`alter table ${table} set (autovacuum_enabled = off)`);
        if (known === 'that nothing is left in them') {
          await api.database.rows(`delete from pg_statistic where starelid = '${table}'::regclass`);
          await api.database.rows(
            `update pg_class set relpages = 100, reltuples = 0 where oid = '${table}'::regclass`,
          );
        }
      }
      const counts = async () => {
        const [row] = await api.database.rows<{ read: number; written: number }>(
          `select sum(idx_tup_fetch + seq_tup_read)::int8 as read, sum(n_tup_ins + n_tup_upd)::int8 as written
         from pg_stat_user_tables where relname in ('locations', 'tags')`,
        );
        return row ?? { read: 0, written: 0 };
      };
      /** What of both tables importing reads. */
      const readBy = async (name: string, parent: (index: number) => string) => {
        const before = await counts();
        const rows = Array.from(
          { length: 1_500 },
          (_, index) => `S-${index},${name},${parent(index)},rfid:6${name}${index}`,
        );
        expect(await importing(db, rows)).to.have.property('isImported', true);
        let after = await counts();
        // What a connection has counted it tells others after the next statement, if that is a second later or asks for it.
        while (after.written < before.written + 3_000) {
          await db.transaction((transaction) =>
            transaction.exec(sql.type(NO_ROWS)`select pg_stat_force_next_flush()`),
          );
          await api.database.rows('select pg_stat_clear_snapshot()');
          after = await counts();
        }
        return after.read - before.read;
      };
      // Some for each row. Were rows looked for among all of the organization, it would be millions.
      expect(await readBy('Old', (index) => (index === 0 ? '' : `S-${index - 1}`)), 'created').to.be.below(
        1_500 * 60,
      );
      expect(await readBy('New', (index) => (index < 2 ? '' : 'S-1')), 'moved').to.be.below(1_500 * 60);
    });
  }

  it('leaves no cycle and no live location below a deleted one, whoever else changes the tree meanwhile', async () => {
    const { db, call, orgId } = await site();
    const keys = Array.from({ length: 300 }, (_, index) => `T-${index}`);
    await importing(
      db,
      keys.map((key, index) => `${key},n,${index === 0 ? '' : 'T-0'},`),
    );
    const { body } = await call('GET', '?limit=200&sort=external_key');
    const ids: number[] = body?.data.map(({ id }: { id: number }) => id);
    const statuses = new Set<number>();
    const disturb = async (from: number) => {
      for (let at = from; at < 120; at += 4) {
        const [id, other] = [ids[at], ids[(at * 7 + 3) % 200]];
        for (const answer of [
          await call('PATCH', `/${id}`, { parent_id: other }),
          await call('DELETE', `/${ids[199 - at]}`),
          await call('POST', '', { name: 'child', parent_id: other }),
        ]) {
          statuses.add(answer.status);
        }
      }
    };
    const rounds = async () => {
      for (let round = 1; round <= 12; round++) {
        const rows = keys.map((key, index) => `${key},n${round},T-${(index * round + round) % 300},`);
        const outcome = await importing(db, round % 2 === 0 ? keys.map((key) => `${key},n${round},,`) : rows);
        expect(outcome).to.have.property('isImported', round % 2 === 0);
        await importing(
          db,
          keys.slice(round, 200).map((key, index) => `${key},m${round},T-${index < 5 ? 250 : 200 + round},`),
        );
      }
    };
    await Promise.all([rounds(), ...[0, 1, 2, 3].map(disturb)]);
    expect([...statuses].filter((status) => ![200, 201, 204, 400, 404, 409].includes(status))).to.deep.equal(
      [],
    );
    const orphans = await api.database.rows(
      `select from locations child join locations parent on parent.org_id = child.org_id and parent.id = child.parent_id
       where child.org_id = $1 and child.deleted_at is null and parent.deleted_at is not null`,
      [orgId],
    );
    expect(orphans).to.have.length(0);
    const [reached] = await api.database.rows<{ reached: number; live: number }>(
      `with recursive tree (id) as (
         select id from locations where org_id = $1 and parent_id is null
         union all select child.id from tree join locations child on child.org_id = $1 and child.parent_id = tree.id
       ) select (select count(*) from tree)::int as reached, (select count(*) from locations where org_id = $1)::int as live`,
      [orgId],
    );
    expect(reached?.reached, 'what is in a cycle is below no root').to.equal(reached?.live);
  });
});
