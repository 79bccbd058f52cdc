import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type pg from 'pg';
import { describeSchema } from '../../../db/timescale/schema/describe-schema.ts';
import { isMigrated, isOfEarlier, migrate, migrateNew } from '../../../db/timescale/schema/migrate.ts';
import { LAST_MIGRATION, newestOf, readMigrations } from '../../../db/timescale/schema/migrations.ts';
import { useBeforeBaseline } from '../../support/before-baseline.ts';
import { useDatabase } from '../../support/database.ts';

describe('a database at the last migration before the baseline', () => {
  const created = useDatabase();
  const before = useBeforeBaseline();

  it('is taken over, with every row, and has then what the baseline makes', async () => {
    // Histories of smoothed scans are decided again: the upgrade adds a row there.
    const tables = (await tablesOf(before.client)).filter(({ name }) => name !== 'history_recomputations');
    const rows = await rowsOf(before.client, tables);
    expect(rows.filter(({ count }) => count > 0)).to.have.length.above(35);
    expect(await isMigrated(before.client)).to.equal(false);
    const { applied, current } = await migrate(before.url);
    expect(applied.slice(0, -1)).to.deep.equal(
      readMigrations()
        .slice(1, -1)
        .map(({ name }) => name),
    );
    expect(applied.at(-1)).to.match(/^functions-[0-9a-f]{16}$/);
    expect(current).to.equal(newestOf(readMigrations()));
    expect(await rowsOf(before.client, tables)).to.deep.equal(rows);
    expect(await isMigrated(before.client)).to.equal(true);
    expect((await migrate(before.url)).applied).to.deep.equal([]);

    expect(await describeSchema(before.client)).to.equal(
      readFileSync(new URL('../../../db/timescale/schema/schema.sql', import.meta.url), 'utf8'),
    );
    for (const what of ALSO_ALIKE) {
      const wanted = await created.rows(what);
      expect(wanted, what).to.have.length.above(1);
      expect((await before.client.query(what)).rows, what).to.deep.equal(wanted);
    }
  });

  it('is left alone by commands that migrate new databases only, and is told from a newer one', async () => {
    const error = await migrateNew(before.url).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'unavailable');
    expect(error).to.have.property('message').that.includes('back it up, then migrate it');
    expect(await isOfEarlier(before.url)).to.equal(true);
    expect(await ledger(before.client)).to.include(LAST_MIGRATION);
  });

  it('is refused while the commit that made it has something left to do', async () => {
    for (const [leave, finish] of [
      ['update positions set is_in_feed = false', 'update positions set is_in_feed = true'],
      ['update move_heads set complete_since = null', 'update move_heads set complete_since = now()'],
      ['insert into history_recomputations (org_id) values (1)', 'delete from history_recomputations'],
    ] as const) {
      await before.client.query(leave);
      const error = await migrate(before.url).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', 'conflict');
      expect(error)
        .to.have.property('message')
        .that.matches(/let it finish .+ commit [0-9a-f]{40}\)/);
      await before.client.query(finish);
    }
    expect((await migrate(before.url)).applied).not.to.deep.equal([]);
  });

  it('is refused if it lacks a migration, and names the commit to pass through', async () => {
    await before.client.query(`delete from schema_migrations where name = $1`, [LAST_MIGRATION]);
    for (const refused of [migrate, migrateNew, isOfEarlier]) {
      const error = await refused(before.url).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', 'conflict');
      expect(error)
        .to.have.property('message')
        .that.matches(
          /^The database has migration 0097-positions-of-deleted, of .+ Let commit [0-9a-f]{40} migrate/,
        );
    }
    expect(await ledger(before.client)).to.have.lengthOf(97);
  });
});

async function ledger(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query('select name from schema_migrations order by name');
  return rows.map(({ name }) => name);
}

interface Table {
  name: string;
  columns: string;
}

/** Every table but the ledger, with its columns. */
async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select relname::text as name, string_agg(quote_ident(attname), ', ' order by attnum) as columns
     from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'schema_migrations'
     group by 1 order by 1`,
  );
  return rows;
}

async function rowsOf(
  client: pg.Client,
  tables: readonly Table[],
): Promise<{ table: string; count: number; sum: string }[]> {
  const found = [];
  for (const { name, columns } of tables) {
    const { rows } = await client.query(
      `select count(*) as count, coalesce(sum(hashtextextended(row_to_json(kept)::text, 0)), 0)::text as sum
       from (select ${columns} from ${name}) kept`,
    );
    found.push({ table: name, ...rows[0] });
  }
  return found;
}

/** What `schema.sql` does not have. */
const ALSO_ALIKE = [
  `select tablename, policyname, roles, cmd, qual, with_check from pg_policies where schemaname = 'public' order by 1, 2`,
  `select relname::text, relrowsecurity, relforcerowsecurity, relreplident from pg_class
   where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
  `select relname::text, granted::text from pg_class cross join unnest(relacl) granted
   where relnamespace = 'public'::regnamespace order by 1, 2`,
  `select relname::text, attname::text, granted::text from pg_attribute join pg_class on pg_class.oid = attrelid
   cross join unnest(attacl) granted where relnamespace = 'public'::regnamespace order by 1, 2, 3`,
  `select oid::regprocedure::text, granted::text from pg_proc cross join unnest(proacl) granted
   where pronamespace = 'public'::regnamespace order by 1, 2`,
  `select relname::text, attname::text, attstorage from pg_attribute join pg_class on pg_class.oid = attrelid
   where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attnum > 0 order by 1, attnum`,
  `select granted::text from pg_default_acl cross join unnest(defaclacl) granted order by 1`,
];
