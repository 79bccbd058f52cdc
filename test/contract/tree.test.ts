import { expect } from 'chai';
import { expectError, expectFields, useClient } from '../support/contract-client.ts';

const TREES = ['ancestors', 'children', 'descendants'];

describe('the tree of locations', () => {
  const client = useClient();
  const ids: Record<string, number> = {};
  const make = async (external_key: string, parent: string | null, json: object = {}) => {
    const parent_id = parent === null ? null : ids[parent];
    ids[external_key] = (await client.make('locations', { ...json, external_key, parent_id })).id;
  };
  const tree = (key: string, which: string, query = '') =>
    client.keys(`/locations/${ids[key]}/${which}${query}`);

  before(async () => {
    await make('ROOT', null);
    await make('b', 'ROOT');
    await make('C', 'ROOT');
    await make('A', 'ROOT');
    await make('a-2', 'A');
    await make('A-10', 'A');
    await make('A-1', 'A', { is_active: false });
    await make('B-9', 'b', { valid_to: '2020-01-01T00:00:00Z' });
    await make('b-9', 'b');
    await make('deep', 'b-9', { valid_from: '2099-01-01T00:00:00Z' });
    await make('gone', 'b-9');
    await client.remove(`/locations/${ids['gone']}`);
    await make('elsewhere', null);
  });

  it('has ancestors, the nearest first, the location itself not among them', async () => {
    expect(await tree('deep', 'ancestors')).to.deep.equal(['b-9', 'b', 'ROOT']);
    expect(await tree('ROOT', 'ancestors')).to.deep.equal([]);
  });

  it('has children, ordered by lowercased key and then by id, and no grandchildren', async () => {
    expect(await tree('ROOT', 'children')).to.deep.equal(['A', 'b', 'C']);
    expect(await tree('A', 'children')).to.deep.equal(['A-1', 'A-10', 'a-2']);
    expect(await tree('b', 'children')).to.deep.equal(['B-9', 'b-9']);
    expect(await tree('C', 'children')).to.deep.equal([]);
  });

  it('has descendants, depth first, each level ordered by lowercased key', async () => {
    expect(await tree('ROOT', 'descendants')).to.deep.equal([
      'A',
      'A-1',
      'A-10',
      'a-2',
      'b',
      'B-9',
      'b-9',
      'deep',
      'C',
    ]);
    expect(await tree('deep', 'descendants')).to.deep.equal([]);
  });

  it('is paged without gaps or overlaps, and counted in full', async () => {
    for (const [key, which] of [
      ['ROOT', 'descendants'],
      ['ROOT', 'children'],
      ['deep', 'ancestors'],
    ] as const) {
      const all = await tree(key, which);
      const pages: string[] = [];
      for (let offset = 0; offset < all.length + 2; offset += 2) {
        const { body } = await client.get(`/locations/${ids[key]}/${which}?limit=2&offset=${offset}`);
        expect(body).to.include({ limit: 2, offset, total_count: all.length });
        pages.push(...(body?.data ?? []).map((row: { external_key: string }) => row.external_key));
      }
      expect(pages).to.deep.equal(all);
    }
  });

  for (const which of TREES) {
    it(`takes only paging for ${which}`, async () => {
      const path = `/locations/${ids['ROOT']}/${which}`;
      expectFields(await client.get(`${path}?q=a&is_active=true&include_deleted=true&external_key=A&id=1`), [
        { field: 'external_key', code: 'unknown_field' },
        { field: 'id', code: 'unknown_field' },
        { field: 'include_deleted', code: 'unknown_field' },
        { field: 'is_active', code: 'unknown_field' },
        { field: 'q', code: 'unknown_field' },
      ]);
      const { body } = await client.get(`${path}`);
      expect(Object.keys(body ?? {})).to.deep.equal(['data', 'limit', 'offset', 'total_count']);
      expect(body).to.include({ limit: 50, offset: 0 });
    });

    for (const sort of ['external_key', '-name', 'nothing']) {
      it(`has one order for ${which} and refuses sort=${sort}`, async () => {
        const answer = await client.get(`/locations/${ids['ROOT']}/${which}?sort=${sort}`);
        expect(answer.status).to.equal(400);
        expect(answer.body?.error).to.include({
          type: 'validation_error',
          detail: 'sort parameter not supported on this endpoint',
        });
        expect(answer.body?.error?.fields?.map(({ field }) => field)).to.deep.equal(['sort']);
      });
    }

    it(`is 404 for ${which} of what is not there`, async () => {
      for (const id of [ids['gone'], 2147483647]) {
        expectError(await client.get(`/locations/${id}/${which}`), 404, 'not_found', 'Location not found');
      }
    });
  }

  it('follows a moved location with everything below it', async () => {
    await client.patch(`/locations/${ids['b']}`, { parent_id: ids['elsewhere'] });
    expect(await tree('deep', 'ancestors')).to.deep.equal(['b-9', 'b', 'elsewhere']);
    expect(await tree('elsewhere', 'descendants')).to.deep.equal(['b', 'B-9', 'b-9', 'deep']);
    expect(await tree('ROOT', 'children')).to.deep.equal(['A', 'C']);
    await client.patch(`/locations/${ids['b']}`, { parent_id: ids['ROOT'] });
  });

  describe('renamed', () => {
    const rename = (key: string, external_key: string) =>
      client.post(`/locations/${ids[key]}/rename`, { external_key });

    it('counts the live descendants, itself left out, and touches only itself', async () => {
      const below = await client.get(`/locations/${ids['b']}/descendants`);
      const before = await client.read('locations', ids['b'] ?? 0);
      const { status, body } = await rename('b', 'bb');
      expect(status).to.equal(200);
      expect(Object.keys(body ?? {})).to.deep.equal(['data', 'descendant_count_affected']);
      expect(body?.descendant_count_affected).to.equal(3);
      expect(body?.data).to.deep.equal({ ...before, external_key: 'bb', updated_at: body?.data.updated_at });
      expect(body?.data.updated_at > before.updated_at).to.equal(true);
      const after = await client.get(`/locations/${ids['b']}/descendants`);
      const expected = below.body?.data.map((row: { parent_id: number }) =>
        row.parent_id === ids['b'] ? { ...row, parent_external_key: 'bb' } : row,
      );
      expect(after.body?.data).to.deep.equal(expected);
    });

    it('is 0 for a leaf, and for a key that stays the same', async () => {
      expect((await rename('C', 'CC')).body?.descendant_count_affected).to.equal(0);
      const root = await client.read('locations', ids['ROOT'] ?? 0);
      const answer = await rename('ROOT', 'ROOT');
      expect(answer.body).to.deep.equal({ data: root, descendant_count_affected: 0 });
    });

    it('is refused for the key of another live one', async () => {
      await client.changingNothing(async () => {
        const detail = 'location with external_key A already exists';
        expectError(await rename('ROOT', 'A'), 409, 'conflict', detail);
      });
      expect((await rename('ROOT', 'gone')).status).to.equal(200);
    });
  });
});
