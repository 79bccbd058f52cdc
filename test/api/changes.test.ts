import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { sweepMoves } from '../../db/timescale/schema/retention.ts';
import { readChanges } from '../../domain/moves/read-changes.ts';
import { CHANGES } from '../../domain/moves/sealing/queues.ts';
import { NOTHING_SEALED, Sealer } from '../../domain/moves/sealing/sealer.ts';
import { expectIssues, expectProblem, useApi } from '../support/api.ts';
import { Random } from '../support/random.ts';
import { sealAll } from '../support/seal-all.ts';
import { startSealing } from '../support/sealing.ts';

interface Change {
  position: number;
  resource: 'asset' | 'location';
  id: number;
  action: string;
  asset: Row | null;
  location: Row | null;
}
interface Row {
  id: number;
  external_key: string;
  parent_external_key?: string | null;
  tags: { id: number; value: string }[];
}

describe('GET /changes', () => {
  const api = useApi();
  const read = async (query = '', key = api.key) => {
    const answer = await api.call({ path: `/api/v1/changes?${query}`, key });
    expect(answer.status, answer.text).to.equal(200);
    return answer.body?.data as { changes: Change[]; next: number; head: number; oldest: number };
  };
  const seal = () => sealAll(api.database.url);
  const write = async (method: string, path: string, json?: object, key = api.key) => {
    const body = json === undefined ? {} : { json };
    const answer = await api.call({ method, path: `/api/v1/${path}`, key, ...body });
    expect(answer.status, answer.text).to.be.within(200, 204);
    return answer.body?.data;
  };
  const told = ({ changes }: { changes: Change[] }) =>
    changes.map(({ resource, id, action, asset, location }) => [
      ...[resource, id, action],
      asset?.external_key ?? location?.external_key ?? null,
    ]);

  it('is empty where nothing was changed', async () => {
    await seal();
    expect(await read()).to.deep.equal({ changes: [], next: 0, head: 0, oldest: 1 });
  });

  it('has every change of a location, an asset and their tags, with the row as it is now', async () => {
    const yard = await write('POST', 'locations', { name: 'Yard', external_key: 'YARD' });
    const dock = await write('POST', 'locations', { name: 'Dock', external_key: 'DOCK' });
    await write('PATCH', `locations/${dock.id}`, { parent_external_key: 'YARD' });
    await write('POST', `locations/${yard.id}/rename`, { external_key: 'YARD-2' });
    await write('PATCH', `locations/${yard.id}`, { name: 'Yard' });
    const asset = await write('POST', 'assets', { name: 'Any', external_key: 'A' });
    const tag = await write('POST', `assets/${asset.id}/tags`, { tag_type: 'rfid', value: 'T' });
    const gone = await write('POST', 'assets', { name: 'Any', external_key: 'GONE' });
    await write('DELETE', `assets/${gone.id}`);
    await seal();
    const page = await read();
    expect(told(page)).to.deep.equal([
      ['location', yard.id, 'create', 'YARD-2'],
      ['location', dock.id, 'create', 'DOCK'],
      ['location', dock.id, 'update', 'DOCK'],
      ['location', yard.id, 'rename', 'YARD-2'],
      ['asset', asset.id, 'create', 'A'],
      ['asset', asset.id, 'attach_tag', 'A'],
      ['asset', gone.id, 'create', null],
      ['asset', gone.id, 'delete', null],
    ]);
    expect(page).to.include({ next: 8, head: 8, oldest: 1 });
    expect(page.changes.map(({ position }) => position)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(page.changes[1]?.location?.parent_external_key).to.equal('YARD-2');
    expect(page.changes[4]?.asset).to.deep.equal(
      (await api.call({ path: `/api/v1/assets/${asset.id}` })).body?.data,
    );
    await write('DELETE', `assets/${asset.id}/tags/${tag.id}`);
    await seal();
    const { changes } = await read('after=8');
    expect([changes[0]?.action, changes[0]?.asset?.tags]).to.deep.equal(['detach_tag', []]);
    expect(told(await read('after=2&limit=2'))).to.have.length(2);
  });

  it('has every row that an import created or changed, and none that it left', async () => {
    const { head } = await read();
    const body = new FormData();
    body.append(
      'file',
      new Blob(['external_key,name,tags\nA,Renamed,\nB,New,rfid:B-1\nC,New,\n']),
      'assets.csv',
    );
    for (const [query, events] of [
      ['?dry_run=true', 0],
      ['', 3],
      ['', 0],
    ] as const) {
      const { next } = await read(`after=${head}`);
      const answer = await fetch(`${api.url}/api/v1/assets/bulk${query}`, {
        method: 'POST',
        ...{ headers: { Authorization: `Bearer ${api.key}` }, body },
      });
      expect(answer.status, await answer.text()).to.equal(200);
      await seal();
      expect((await read(`after=${next}`)).changes, query).to.have.length(events);
    }
    const { changes } = await read(`after=${head}`);
    expect(changes.map(({ action, asset }) => `${action} ${asset?.external_key}`)).to.deep.equal([
      ...['update A', 'create B', 'create C'],
    ]);
    expect(changes[1]?.asset?.tags.map(({ value }) => value)).to.deep.equal(['B-1']);
  });

  it('has a scope of its own, and nothing of others', async () => {
    const key = await api.keyWith(['assets:read', 'locations:read', 'tracking:read']);
    expectProblem(
      await api.call({ path: '/api/v1/changes?after=x', key }),
      'forbidden',
      'Missing required scope: changes:read',
    );
    const { key: other } = await api.organization('Other');
    expect((await read('', other)).head).to.equal(0);
  });

  it('breaks a page off where rows are large, however small they are stored', async () => {
    const texts = {
      Large: `(select string_agg(md5(n || '-' || i), '') from generate_series(1, 2500) i)`,
      Packed: `repeat('x', 1000000)`,
    };
    const pagesOf = async (name: keyof typeof texts) => {
      const { orgId, key } = await api.organization(name);
      await api.database.rows(
        `with made as (
           insert into assets (org_id, external_key, name, metadata)
           select $1, 'L-' || n, 'x', json_build_object('text', ${texts[name]}) from generate_series(1, 5) n returning id
         )
         insert into changes (org_id, actor_type, actor_id, action, resource_type, resource_id)
         select $1, 'key', 'x', 'create', 'asset', id from made`,
        [orgId],
      );
      await seal();
      let pages = 0;
      for (let after = 0; after < 5; pages++) {
        after = (await read(`after=${after}`, key)).next;
      }
      return pages;
    };
    expect(await pagesOf('Large')).to.be.within(2, 4);
    expect(await pagesOf('Packed')).to.equal(5);
  });

  it('looks at no tags but those of the page, and of these at no more than fit', async () => {
    const { orgId } = await api.organization('Tagged');
    await api.database.rows(
      `with made as (
         insert into assets (org_id, external_key, name) select $1, 'T-' || n, 'x' from generate_series(1, 20) n returning id
       ), tagged as (
         insert into tags (org_id, tag_type, value, tag_key, asset_id)
         select $1, 'rfid', id || '-' || n, id || '-' || n, id from made, generate_series(1, 2000) n
       )
       insert into changes (org_id, actor_type, actor_id, action, resource_type, resource_id)
       select $1, 'key', 'x', 'create', 'asset', id from made`,
      [orgId],
    );
    await seal();
    const looked = await inTransaction(api.database.pool, async (transaction) => {
      const { events } = await readChanges(Object.assign(transaction, { orgId }), { after: 17, limit: 3 });
      expect(events).to.have.length(1);
      return await transaction.one(sql.type(rowsOf<{ rows: number }>())`
        select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows
        from pg_stat_xact_user_tables where relname = 'tags'`);
    });
    expect(looked.rows).to.be.within(2_000, 3 * 2_000);
  });

  it('ends a wait with the next change, of which the write tells the sealer', async () => {
    const sealing = startSealing(api.database.url, { onFault: () => {} });
    const { head } = await read();
    const answer = read(`wait=30&after=${head}`);
    const moves = api.call({ path: '/api/v1/moves?wait=1' });
    await write('POST', 'assets', { name: 'Awaited' });
    expect((await answer).changes).to.have.length(1);
    expect((await moves).body?.data.moves).to.have.length(0);
    await sealing.stop();
  });

  it('misses nothing that is written while it is read', async () => {
    const { key } = await api.organization('Busy');
    const sealing = startSealing(api.database.url, { onFault: () => {} });
    const random = new Random(3, 3);
    let writers = 6;
    const writing = Array.from({ length: writers }, async (_, writer) => {
      for (let step = 0; step < 15; step++) {
        const { id } = await write('POST', 'assets', { name: `${writer}` }, key);
        const [other] = await write('GET', `assets?limit=1&offset=${random.below(step + 1)}`, undefined, key);
        await api.call({
          method: 'PATCH',
          path: `/api/v1/assets/${other.id}`,
          key,
          json: { name: `${step}` },
        });
        if (random.once(3)) {
          await write('DELETE', `assets/${id}`, undefined, key);
        }
      }
      writers -= 1;
    });
    const copy = new Map<number, Row>();
    for (let after = 0, idle = false; !idle; ) {
      const done = writers === 0;
      const { changes, next } = await read(`after=${after}&limit=7&wait=1`, key);
      expect(changes.map(({ position }) => position)).to.deep.equal(changes.map((_, i) => after + 1 + i));
      for (const { id, asset } of changes) {
        asset === null ? copy.delete(id) : copy.set(id, asset);
      }
      after = next;
      idle = done && changes.length === 0;
    }
    await Promise.all(writing);
    await sealing.stop();
    const rows = await write('GET', 'assets?limit=200&sort=created_at', undefined, key);
    expect([...copy.values()].toSorted((a, b) => a.id - b.id)).to.deep.equal(
      (rows as Row[]).toSorted((a, b) => a.id - b.id),
    );
  });

  it('is not held up by the import of another organization, nor does it hold up moves', async () => {
    const large = await api.organization('Importing');
    const small = await api.organization('Small');
    const queue = (orgId: number, count: number) =>
      api.database.rows(
        `insert into unsealed_changes (org_id, recorded_at, resource, resource_id, action)
         select $1, now(), 'asset', n, 'create' from generate_series(1, $2) n`,
        [orgId, count],
      );
    await queue(large.orgId, 20_000);
    await queue(small.orgId, 1);
    const sealer = new Sealer({ ...NOTHING_SEALED }, {}, CHANGES);
    expect(await sealer.turn(databaseOn(api.database.pool), 1), 'ends early').to.equal(0);
    expect((await read('', small.key)).head).to.equal(1);
    expect((await read('limit=1', large.key)).head).to.be.below(20_000);
    await api.database.rows('delete from unsealed_changes');
  });

  it('says what is kept', async () => {
    const { head } = await read();
    expectIssues(await api.call({ path: `/api/v1/changes?after=${head + 1}` }), [['after', 'invalid_value']]);
    await api.database.rows(`update change_days set day = day - 100 where org_id = $1`, [api.orgId]);
    await write('POST', 'assets', { name: 'Later' });
    await seal();
    expect(await sweepMoves(api.database.pool, 90)).to.equal(1);
    expect((await read(`after=${head}`)).changes).to.have.length(1);
    const answer = await api.call({ path: `/api/v1/changes?after=${head - 1}` });
    expectProblem(answer, 'feed_expired');
    expect(answer.body?.error).to.deep.include({ params: { oldest: head + 1, head: head + 1 } });
  });
});
