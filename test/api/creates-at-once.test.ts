import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import {
  type OrganizationDatabase,
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../db/timescale/connections/organization-door.ts';
import { createAsset } from '../../domain/master-data/assets/create.ts';
import type { NewAsset } from '../../domain/master-data/assets/queries.ts';
import { createLocation } from '../../domain/master-data/locations/create.ts';
import { tagColumns } from '../../domain/master-data/tags/new-tag.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useDatabase } from '../support/database.ts';

const ANY = { name: 'Any' };

const tagged = (...values: string[]) =>
  tagColumns(values.map((value) => ({ tagType: 'rfid', value, tagKey: value })));

describe('assets created at once', () => {
  const database = useDatabase();
  let door: OrganizationDoor;
  let db: OrganizationDatabase;
  let other: pg.Client;

  before(async () => {
    door = openOrganizationDoor(database.url, { max: 10 });
    database.beforeDrop(() => door.end());
    other = new pg.Client(connectionConfig(database.url, 'other'));
    await other.connect();
    database.beforeDrop(() => other.end());
  });
  beforeEach(async () => {
    const [row] = await database.rows<{ id: number }>(
      `insert into organizations (name) values ('Shipper') returning id`,
    );
    db = door.of(row?.id ?? 0);
  });

  const create = (external_key: string | undefined, fields: Partial<NewAsset> = {}) =>
    createAsset(db, TEST_ACTOR, { ...ANY, external_key, ...fields });

  /** What each was told: the keys and tags of what was created, or the fault. */
  async function told(creates: readonly Promise<{ external_key: string; tags: string }>[]) {
    return (await Promise.allSettled(creates)).map((each) =>
      each.status === 'rejected'
        ? each.reason.message
        : [
            each.value.external_key,
            ...JSON.parse(each.value.tags).map(({ value }: { value: string }) => value),
          ].join(' '),
    );
  }

  const stored = () =>
    database.rows<{ id: number; external_key: string; xmin: string; tags: string[] }>(
      `select id, external_key, xmin::text, (
         select coalesce(array_agg(value order by tags.id), '{}') from tags
         where tags.org_id = assets.org_id and asset_id = assets.id
       ) as tags
       from assets where org_id = $1 order by id`,
      [db.orgId],
    );

  async function drawn(): Promise<number[]> {
    const rows = await database.rows<{ last: number }>(
      `select coalesce(last_value, 0)::int as last from pg_sequences
       where sequencename in ('assets_id_seq', 'tags_id_seq') order by sequencename`,
    );
    return rows.map(({ last }) => last);
  }

  it('share transactions, each with the row and the tags that it asked for', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => `PAL-${index}`);
    const created = await Promise.all(
      keys.map((key, index) =>
        create(key, {
          name: `Pallet ${key}`,
          description: index % 3 === 0 ? null : `of ${key}`,
          is_active: index % 2 === 0,
          metadata: `{"n": ${index}.50}`,
          tags:
            index % 4 === 0 ? undefined : tagged(...keys.slice(0, index % 4).map((tag) => `${key}-${tag}`)),
        }),
      ),
    );
    expect(created.map(({ external_key: key }) => key)).to.deep.equal(keys);
    for (const [index, row] of created.entries()) {
      const { external_key: key, tags } = row;
      expect(row).to.include({
        name: `Pallet ${key}`,
        description: index % 3 === 0 ? null : `of ${key}`,
        is_active: index % 2 === 0,
        metadata: `{"n": ${index}.50}`,
        location_id: null,
        deleted_at: null,
      });
      const expected = keys.slice(0, index % 4).map((tag) => `${key}-${tag}`);
      expect(JSON.parse(tags).map(({ value }: { value: string }) => value)).to.deep.equal(expected);
    }
    const rows = await stored();
    expect(rows.map(({ external_key: key }) => key)).to.deep.equal(keys);
    // The first goes at once.
    expect(new Set(rows.map(({ xmin }) => xmin))).to.have.length(2);
  });

  it('are each refused for what is wrong with it, by who came before it too, and draw ids for what is created', async () => {
    await create('TAKEN', { tags: tagged('TAKEN-TAG') });
    const before = await drawn();
    const answers = await told([
      create('FIRST'),
      create('SECOND', { tags: tagged('A', 'B') }),
      create('TAKEN', { tags: tagged('TAKEN-TAG') }),
      create('THIRD', { tags: tagged('C', 'TAKEN-TAG') }),
      create('SECOND', { tags: tagged('D') }),
      create('FOURTH', { tags: tagged('E', 'B') }),
      create('FIFTH', { tags: tagged('F', 'F') }),
      create('FOURTH', { tags: tagged('E') }),
      create('THIRD', { tags: tagged('C') }),
      create('LARGE', { metadata: JSON.stringify({ text: 'x'.repeat(100_000) }) }),
    ]);
    expect(answers).to.deep.equal([
      'FIRST',
      'SECOND A B',
      'asset with external_key TAKEN already exists',
      'tag rfid:TAKEN-TAG already exists',
      'asset with external_key SECOND already exists',
      'tag rfid:B already exists',
      'tag rfid:F already exists',
      'FOURTH E',
      'THIRD C',
      'LARGE',
    ]);
    const [assets = 0, tags = 0] = before;
    expect(await drawn()).to.deep.equal([assets + 5, tags + 4]);
  });

  it('are created though the database refuses one of them', async () => {
    const answers = await told([
      create('FIRST'),
      create('SECOND'),
      create('LONG', { name: 'x'.repeat(300) }),
      create('THIRD', { tags: tagged('T') }),
    ]);
    expect(answers.filter((_, index) => index !== 2)).to.deep.equal(['FIRST', 'SECOND', 'THIRD T']);
    expect(answers[2]).to.include('assets__name');
    expect((await stored()).map(({ external_key: key }) => key)).to.have.members([
      'FIRST',
      'SECOND',
      'THIRD',
    ]);
  });

  for (const known of ['nothing of the tables', 'other organizations only']) {
    it(`are found to be free by their names alone, though the database knows ${known}`, async () => {
      for (const table of ['assets', 'locations', 'tags']) {
        await database.rows(`alter table ${table} set (autovacuum_enabled = off)`);
        if (known !== 'nothing of the tables') {
          await database.rows(`analyze ${table}`);
        }
      }
      await other.query(
        `with made as (
           insert into assets (org_id, external_key, name)
           select $1, 'OLD-' || n, 'Old' from generate_series(1, 5000) n returning *
         )
         insert into tags (org_id, asset_id, tag_type, value, tag_key)
         select org_id, id, 'rfid', external_key, external_key from made`,
        [db.orgId],
      );
      await other.query(
        `insert into locations (org_id, external_key, name) select $1, 'OLD-' || n, 'Old' from generate_series(1, 5000) n`,
        [db.orgId],
      );
      await other.query('select pg_stat_force_next_flush()');
      const before = await counted();
      // Of these the connections tell what they have counted when they end.
      const newer = openOrganizationDoor(database.url, { max: 10 });
      db = newer.of(db.orgId);
      await create('MANY', {
        tags: tagged(...Array.from({ length: 500 }, (_, index) => `MANY-${index}`)),
      });
      await Promise.all(
        Array.from({ length: 100 }, (_, index) => create(`FEW-${index}`, { tags: tagged(`FEW-${index}`) })),
      );
      if (known === 'other organizations only') {
        await createOthers();
      }
      await newer.end();
      let after = await counted();
      while (after.inserted < before.inserted + 701) {
        await database.rows('select pg_stat_clear_snapshot()');
        after = await counted();
      }
      // Some for each. Were they looked for among all of the organization's, it would be millions.
      expect(after.read - before.read).to.be.below(801 * 10);
    });
  }

  async function createOthers(): Promise<void> {
    for (let index = 0; index < 20; index++) {
      await create(undefined, { tags: tagged(`MINTED-${index}`) });
      await createLocation(db, TEST_ACTOR, {
        ...ANY,
        external_key: `DOCK-${index}`,
        tags: tagged(`DOCK-${index}`),
      });
      await createLocation(db, TEST_ACTOR, { ...ANY, external_key: undefined, tags: undefined });
    }
  }

  async function counted(): Promise<{ read: number; inserted: number }> {
    const [row] = await database.rows<{ read: number; inserted: number }>(
      `select sum(idx_tup_fetch + seq_tup_read)::int8 as read, sum(n_tup_ins)::int8 as inserted
       from pg_stat_user_tables where relname in ('assets', 'locations', 'tags')`,
    );
    return row ?? { read: 0, inserted: 0 };
  }

  describe('while somebody else has a name and has not committed', () => {
    beforeEach(async () => {
      await other.query('begin');
      const { rows } = await other.query<{ id: number }>(
        `insert into assets (org_id, external_key, name) values ($1, 'HELD', 'Held') returning id`,
        [db.orgId],
      );
      await other.query(
        `insert into tags (org_id, asset_id, tag_type, value, tag_key) values ($1, $2, 'rfid', 'HELD', 'HELD')`,
        [db.orgId, rows[0]?.id],
      );
    });
    afterEach(() => other.query('rollback'));

    for (const end of ['commit', 'rollback']) {
      it(`wait for that only if they have the name, and then see the ${end}`, async () => {
        let over = 0;
        const settled = () => {
          over += 1;
        };
        const first = create('FIRST');
        const waiting = [create('HELD'), create('TAGGED', { tags: tagged('FREE', 'HELD') })];
        for (const each of waiting) {
          each.then(settled, settled);
        }
        const free = [create('SECOND'), create('THIRD', { tags: tagged('THIRD') })];
        expect(await told([first, ...free])).to.deep.equal(['FIRST', 'SECOND', 'THIRD THIRD']);
        expect(await told([create('LATER', { tags: tagged('LATER') })])).to.deep.equal(['LATER LATER']);
        expect(over).to.equal(0);
        await other.query(end);
        expect(await told(waiting)).to.deep.equal(
          end === 'commit'
            ? ['asset with external_key HELD already exists', 'tag rfid:HELD already exists']
            : ['HELD', 'TAGGED FREE HELD'],
        );
        expect(await told([create('FREED', { tags: tagged('FREED') })])).to.deep.equal(['FREED FREED']);
      });
    }

    const untold = {
      'an asset with its key': () => create('KEYED', { tags: tagged('FREE', 'HELD') }),
      'an asset without a key': () => create(undefined, { tags: tagged('FREE', 'HELD') }),
      'a location': () =>
        createLocation(db, TEST_ACTOR, { ...ANY, external_key: 'DOCK', tags: tagged('FREE', 'HELD') }),
    };
    for (const [what, creating] of Object.entries(untold)) {
      it(`never leave out the tag: ${what} is refused`, async () => {
        const answers = told([creating()]);
        while (!(await isWaitedFor(other))) {
          // It has found the tag to be free, and waits to attach it.
        }
        await other.query('commit');
        expect(await answers).to.deep.equal(['tag rfid:HELD already exists']);
        expect((await stored()).map(({ external_key: key }) => key)).to.deep.equal(['HELD']);
      });
    }
  });

  async function isWaitedFor(client: pg.Client): Promise<boolean> {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const waiting = await database.rows(
      'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
      [rows[0]?.pid],
    );
    return waiting.length > 0;
  }
});
