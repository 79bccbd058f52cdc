import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { useApi } from '../support/api.ts';
import { useClient } from '../support/contract-client.ts';
import { MeasuredClient } from '../support/measured-client.ts';
import { MeasuredLists } from '../support/measured-lists.ts';
import { randomSets } from '../support/random-sets.ts';

/** Of two organizations. The first has most of all; the other's came after the statistics were made. */
const ASSETS = Math.max(20_000, randomSets(50_000));
const FEWER_ASSETS = Math.max(6_000, randomSets(15_000));

describe('searching many assets', () => {
  const api = useApi();
  const ours = useClient(api);
  const theirs = useClient(api);

  before(async () => {
    await api.database.rows('alter table assets set (autovacuum_enabled = false)');
    await api.database.rows('alter table tags set (autovacuum_enabled = false)');
    // Built afterwards they take a third of the time.
    await api.database.rows('drop index assets__searched_text, tags__searched_text');
    for (const [orgId, assets] of [
      [ours.api.orgId, ASSETS],
      [theirs.api.orgId, FEWER_ASSETS],
    ]) {
      await api.database.rows(
        `insert into assets (org_id, external_key, name, description)
         select $1, 'ASSET-' || n, 'Pallet ' || md5(n::text), 'Wood' from generate_series(1, $2::integer) n`,
        [orgId, assets],
      );
      await api.database.rows(
        `insert into tags (org_id, tag_type, value, tag_key, asset_id)
         select org_id, 'rfid', 'E2' || md5('tag' || external_key), md5(external_key), id from assets where org_id = $1`,
        [orgId],
      );
      if (orgId === ours.api.orgId) {
        await api.database.rows('analyze assets, tags');
      }
    }
    await api.database.rows('select create_search_indexes()');
  });

  const used = async () => {
    const [row] = (await api.database.rows(
      `select coalesce(sum(idx_scan), 0)::integer as count from pg_stat_user_indexes where indexrelname like '%\\_\\_searched\\_text'`,
    )) as { count: number }[];
    return row?.count ?? 0;
  };
  /** The digest of a number in the database, to search for pieces of it. */
  const digest = async (text: string) => {
    const [row] = (await api.database.rows('select md5($1) as md5', [text])) as { md5: string }[];
    return row?.md5 ?? '';
  };

  it('looks them up in the index, for a part of a name, a key or a tag', async () => {
    const before = await used();
    const name = await digest('4711');
    const tag = await digest('tagASSET-815');
    expect(await ours.keys(`/assets?q=${name.slice(3, 20).toUpperCase()}`)).to.deep.equal(['ASSET-4711']);
    expect(await ours.keys(`/assets?q=${tag.slice(5, 25)}`)).to.deep.equal(['ASSET-815']);
    expect(await ours.keys('/assets?q=set-1999')).to.have.length(11);
    // Statistics are written down within a second or so.
    while ((await used()) < before + 6) {
      await theirs.keys(`/assets?q=${name}`);
    }
  });

  it('counts and pages what it finds', async () => {
    const answer = await ours.get('/assets?q=asset-1999&limit=3&offset=9&sort=-external_key');
    expect(answer.body).to.have.property('total_count', 11);
    expect(answer.body?.data).to.have.length(2);
  });

  it('reads each asset a few times only to sort all by a field of their metadata', async () => {
    const lists = await MeasuredLists.connect(api.database.url, ours.api.orgId);
    try {
      const sort = [{ field: 'metadata', isDescending: true, member: 'kg' }] as const;
      const { result, rows, pages } = await lists.assets({ sort });
      expect(result.totalCount).to.equal(ASSETS);
      expect(rows).to.be.below(4 * ASSETS);
      expect(pages).to.be.below(ASSETS);
    } finally {
      await lists.end();
    }
  });

  it('looks into fewer pages than it finds assets, to count and to sort them', async () => {
    const lists = await MeasuredLists.connect(api.database.url, ours.api.orgId);
    try {
      const { result, pages } = await lists.assets({ q: 'pallet' });
      expect(result.totalCount).to.equal(ASSETS);
      expect(result.rows).to.have.length(50);
      expect(pages).to.be.below(ASSETS / 4);
    } finally {
      await lists.end();
    }
  });

  const STATISTICS = {
    'of what was there before': `select 1`,
    'that say "empty"': `update pg_class set reltuples = 0 where relname ~ '^(assets|tags)'`,
    none: `with forgotten as (
        delete from pg_statistic where starelid in ('assets'::regclass, 'tags'::regclass)
      ) update pg_class set reltuples = -1, relpages = 0 where relname ~ '^(assets|tags)'`,
  };
  for (const [statistics, change] of Object.entries(STATISTICS)) {
    it(`finds one of many by its name or tag in few pages, with statistics ${statistics}`, async () => {
      await api.database.rows(change);
      for (const { api: searcher } of [ours, theirs]) {
        for (const text of [await digest('4711'), await digest('tagASSET-815')]) {
          const { found, pages } = await search(searcher.orgId, text.slice(2, 12));
          expect(found).to.have.length(1);
          // Their assets have 300 and as many of tags, ours three times as many, and the indexes.
          expect(pages).to.be.below(300);
        }
      }
    });
  }

  it('finds nothing of another organization, not even past the query', async () => {
    const { rows } = await asApi(`select find_by_text('asset', $1, 'pallet') as id`, ours.api.orgId);
    expect(rows).to.deep.equal([]);
    const own = await asApi(
      `select count(find_by_text) as count from find_by_text('asset', $1, 'pallet')`,
      theirs.api.orgId,
    );
    expect(own.rows).to.deep.equal([{ count: FEWER_ASSETS }]);
    const assets = await asApi(
      `select * from find_assets_by_text($1, 'pallet', true, true, null)`,
      ours.api.orgId,
    );
    expect(assets.rows).to.deep.equal([]);
  });

  it('goes on without the index where an extension is missing', async () => {
    await api.database.rows('drop extension pg_trgm cascade');
    expect(await ours.keys('/assets?q=set-1999')).to.have.length(11);
    await api.database.rows('select create_search_indexes()');
  });

  /** A search, and how many pages it looks into, by the plans of a new connection once they are made. */
  async function search(orgId: number, text: string): Promise<{ found: unknown[]; pages: number }> {
    const measured = await MeasuredClient.connect(api.database.url);
    const { client } = measured;
    const found: unknown[] = [];
    const find = async () => {
      const { rows } = await client.query({
        name: 'search',
        text: 'select id from find_assets_by_text($1, $2, false, false, null)',
        values: [orgId, text],
      });
      found.splice(0, Number.POSITIVE_INFINITY, ...rows);
    };
    try {
      await client.query('set role tagtrail_api');
      await client.query(`select set_config('tagtrail.org_id', $1, false)`, [String(orgId)]);
      await measured.measure(find);
      return { found, pages: (await measured.measure(find)).get('search')?.pages ?? 0 };
    } finally {
      await client.end();
    }
  }

  /** A query as the API's role, which acts for the organization of `theirs`. */
  async function asApi(text: string, orgId: number): Promise<pg.QueryResult> {
    const client = new pg.Client(connectionConfig(api.database.url, 'test', 'tagtrail_api'));
    await client.connect();
    try {
      await client.query(`select set_config('tagtrail.org_id', $1, false)`, [String(theirs.api.orgId)]);
      return await client.query(text, [orgId]);
    } finally {
      await client.end();
    }
  }
});
