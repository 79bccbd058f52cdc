import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type pg from 'pg';
import { pino } from 'pino';
import { describeSchema } from '../../../db/timescale/schema/describe-schema.ts';
import { isMigrated, isOfEarlier, migrate, migrateNew } from '../../../db/timescale/schema/migrate.ts';
import { LAST_MIGRATION, newestOf, readMigrations } from '../../../db/timescale/schema/migrations.ts';
import { finishSearchIndexes } from '../../../db/timescale/schema/search-indexes.ts';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startApi } from '../../../services/api/start.ts';
import { apiConfig } from '../../support/api.ts';
import { useBeforeBaseline } from '../../support/before-baseline.ts';
import { useDatabase } from '../../support/database.ts';
import { keyOf } from '../../support/key-of.ts';
import { sealAll } from '../../support/seal-all.ts';

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

    expect(await finishSearchIndexes(before.url)).to.deep.equal(['assets__fields']);
    expect(await describeSchema(before.client)).to.equal(
      readFileSync(new URL('../../../db/timescale/schema/schema.sql', import.meta.url), 'utf8'),
    );
    for (const what of ALSO_ALIKE) {
      const wanted = await created.rows(what);
      expect(wanted, what).to.have.length.above(1);
      expect((await before.client.query(what)).rows, what).to.deep.equal(wanted);
    }
  });

  it('has its assets, locations and tags for those who keep a copy, whose feed begins empty', async () => {
    await migrate(before.url);
    const [{ id: orgId }] = (
      await before.client.query(
        'select org_id as id from assets where deleted_at is null group by 1 order by count(*) desc limit 1',
      )
    ).rows;
    const key = await keyOf(before.url, orgId);
    const log = pino({ level: 'silent' });
    const lifecycle = new Lifecycle(log);
    const { url } = await startApi(apiConfig(before.url), log, lifecycle);
    try {
      const send = async (path: string, method = 'GET', body?: object) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const json = body === undefined ? null : JSON.stringify(body);
        const answer = await fetch(`${url}/api/v1/${path}`, { method, headers, body: json });
        expect(answer.status, path).to.be.within(200, 204);
        return answer.status === 204 ? null : ((await answer.json()) as { data: never }).data;
      };
      const list = (kind: string, query = ''): Promise<Row[]> =>
        send(`${kind}?limit=200&include_not_in_effect=true&sort=created_at${query}`) as never;
      expect(await send('changes')).to.deep.equal({ changes: [], next: 0, head: 0, oldest: 1 });
      for (const kind of ['assets', 'locations']) {
        const stored = await before.client.query(`select id from ${kind} where org_id = $1 order by id`, [
          orgId,
        ]);
        const since = await list(kind, '&include_deleted=true&updated_since=2000-01-01T00:00:00Z');
        expect(stored.rows).to.have.length.within(1, 200);
        expect(since.map(({ id }) => ({ id })).sort((a, b) => a.id - b.id)).to.deep.equal(stored.rows);
      }
      const copy = new Map((await list('assets')).map((asset) => [asset.id, asset]));
      const [renamed, gone] = [...copy.values()].filter(({ tags }) => tags.length > 0) as [Row, Row];
      await send(`assets/${renamed.id}/rename`, 'POST', { external_key: 'RENAMED' });
      await send(`assets/${renamed.id}/tags/${renamed.tags[0]?.id}`, 'DELETE');
      await send(`assets/${gone.id}`, 'DELETE');
      await sealAll(before.url);
      const { changes } = (await send('changes')) as unknown as {
        changes: { id: number; asset: Row | null }[];
      };
      expect(changes).to.have.length(3);
      for (const { id, asset } of changes) {
        asset === null ? copy.delete(id) : copy.set(id, asset);
      }
      expect([...copy.values()]).to.deep.equal(await list('assets'));
    } finally {
      await lifecycle.stop();
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

interface Row {
  id: number;
  tags: { id: number }[];
}

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
