import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { Random } from '../support/random.ts';

interface Entry {
  action: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown>;
  bytes: number;
}

describe('the change log of an asset', () => {
  const api = useApi();

  async function create(fields: object = {}): Promise<number> {
    const { body } = await api.call({
      method: 'POST',
      path: '/api/v1/assets',
      json: { name: 'new', ...fields },
    });
    return body?.data.id;
  }
  const patch = (id: number, json: object) =>
    api.call({ method: 'PATCH', path: `/api/v1/assets/${id}`, json });
  async function entries(id: number): Promise<Entry[]> {
    const rows = await api.database.rows<{
      action: string;
      before: string | null;
      after: string;
      bytes: number;
    }>(
      `select action, before, after, octet_length(before::text) + octet_length(after::text) as bytes
       from changes where org_id = $1 and resource_type = 'asset' and resource_id = $2 order by at, id`,
      [api.orgId, String(id)],
    );
    return rows.map((row) => ({
      ...row,
      before: row.before === null ? null : JSON.parse(row.before),
      after: JSON.parse(row.after),
    }));
  }

  it('gives the asset, applied in its order, whatever was done to it', async () => {
    const random = new Random(17, 0);
    const pick = <Item>(items: readonly Item[]) => items[random.below(items.length)] as Item;
    const id = await create({ tags: [{ tag_type: 'rfid', value: 'FIRST' }] });
    const path = `/api/v1/assets/${id}`;
    for (let step = 0; step < 40; step++) {
      const { body } = await api.call({ path });
      const tag = body?.data.tags[0];
      const done = await pick([
        () => patch(id, { name: pick(['a', 'b', 'ü']), description: pick(['x', null]) }),
        () => patch(id, { metadata: { step: pick([1, 2]), nested: { n: null } }, is_active: random.once(2) }),
        () =>
          patch(id, {
            valid_to: pick([null, '2030-01-01T00:00:00.123456Z']),
            valid_from: '2020-01-01T00:00:00Z',
          }),
        () =>
          api.call({ method: 'POST', path: `${path}/rename`, json: { external_key: pick(['K-1', 'K-2']) } }),
        () =>
          api.call({ method: 'POST', path: `${path}/tags`, json: { tag_type: 'ble', value: `T-${step}` } }),
        () =>
          tag === undefined ? patch(id, {}) : api.call({ method: 'DELETE', path: `${path}/tags/${tag.id}` }),
      ])();
      expect(done.status, done.text).to.be.below(300);
    }
    const all = await entries(id);
    expect(all.length).to.be.within(15, 41);
    const folded: Record<string, unknown> = {};
    let tags: unknown[] = [];
    for (const { before, after } of all) {
      for (const [name, value] of Object.entries(before ?? {}).filter(([field]) => field !== 'tags')) {
        expect(folded[name]).to.deep.equal(value);
      }
      const gone = JSON.stringify(before?.['tags'] ?? []);
      tags = [...tags.filter((tag) => !gone.includes(JSON.stringify(tag))), ...((after['tags'] ?? []) as [])];
      Object.assign(folded, after, { tags });
    }
    const { data } = (await api.call({ path })).body ?? {};
    const {
      id: _,
      location_id,
      location_external_key,
      position,
      created_at,
      updated_at,
      deleted_at,
      ...own
    } = data;
    expect(folded).to.deep.equal({
      ...own,
      tags: data.tags.map(({ tag_type, value }: { tag_type: string; value: string }) => ({
        tag_type,
        value,
      })),
    });
  });

  it('stays small, however large what is changed', async () => {
    const large = (word: string) => ({ text: word.repeat(100_000) });
    const id = await create({ external_key: 'LARGE', metadata: large('one') });
    await patch(id, { metadata: large('two') });
    await patch(id, { description: 'new' });
    const [created, patched, described] = await entries(id);
    const mark = (value: object) => {
      const text = JSON.stringify(value);
      return { left_out: { bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') } };
    };
    expect(created?.after['metadata']).to.deep.equal(mark(large('one')));
    expect(patched).to.deep.include({
      before: { metadata: mark(large('one')) },
      after: { metadata: mark(large('two')) },
    });
    expect(described).to.deep.include({ before: { description: null }, after: { description: 'new' } });
  });

  it('stays small where thousands of tags are detached by a delete, which says how much it left out', async () => {
    const tags = Array.from({ length: 5_000 }, (_, at) => ({ tag_type: 'rfid', value: `MANY-${at}` }));
    const id = await create({ tags });
    await api.call({ method: 'DELETE', path: `/api/v1/assets/${id}` });
    const [, deletion] = await entries(id);
    expect(deletion?.action).to.equal('delete');
    expect(deletion?.before?.['tags']).to.have.nested.property('left_out.bytes').above(150_000);
    expect(deletion?.bytes).to.be.below(1_000);
  });
});
