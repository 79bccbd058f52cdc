import { expect } from 'chai';
import { expectIssues, expectProblem, useApi } from '../support/api.ts';

const PATH = '/api/v1/locations';

describe('POST /locations', () => {
  const api = useApi();
  const create = (json: unknown) => api.call({ method: 'POST', path: PATH, json });
  let rootId: number;
  before(async () => {
    rootId = (await create({ name: 'Root', external_key: 'ROOT' })).body?.data.id;
  });

  it('creates a root with a minted key and the defaults', async () => {
    const { status, headers, body } = await create({ name: 'Hall' });
    expect(status).to.equal(201);
    expect(headers.get('location')).to.equal(`${PATH}/${body?.data.id}`);
    expect(body?.data).to.deep.include({
      external_key: 'LOC-0001',
      description: null,
      parent_id: null,
      parent_external_key: null,
      is_active: true,
      valid_to: null,
      tags: [],
      deleted_at: null,
    });
  });

  it('takes the parent by id or by key, and null for a root', async () => {
    const byId = await create({ name: 'A', parent_id: rootId });
    const byKey = await create({
      name: 'B',
      parent_external_key: 'ROOT',
      tags: [{ tag_type: 'rfid', value: '1' }],
    });
    for (const { body } of [byId, byKey]) {
      expect(body?.data).to.include({ parent_id: rootId, parent_external_key: 'ROOT' });
    }
    expect((await create({ name: 'C', parent_id: null })).body?.data.parent_id).to.equal(null);
    expect(
      await api.database.rows('select org_id, parent_id from locations where id = $1', [byKey.body?.data.id]),
    ).to.deep.equal([{ org_id: api.orgId, parent_id: rootId }]);
  });

  it("refuses a parent that does not resolve, is deleted, or is another organization's", async () => {
    const { key } = await api.organization('Other');
    const gone = (await create({ name: 'Gone', external_key: 'GONE' })).body?.data.id;
    await api.database.rows('update locations set deleted_at = now() where id = $1', [gone]);
    for (const parent of [{ parent_id: 2147483647 }, { parent_id: gone }]) {
      expectIssues(await create({ name: 'A', ...parent }), [['parent_id', 'fk_not_found']]);
    }
    for (const parent_external_key of ['NONE', 'GONE', 'root']) {
      const answer = await create({ name: 'A', parent_external_key });
      expectIssues(answer, [['parent_external_key', 'fk_not_found']]);
      expect(answer.body?.error?.detail).to.equal(`parent_external_key ${parent_external_key} not found`);
    }
    const theirs = await api.call({
      method: 'POST',
      path: PATH,
      json: { name: 'A', parent_id: rootId },
      key,
    });
    expectIssues(theirs, [['parent_id', 'fk_not_found']]);
  });

  it('refuses both ways of naming the parent, before either is resolved', async () => {
    for (const parents of [
      { parent_id: rootId, parent_external_key: 'ROOT' },
      { parent_id: null, parent_external_key: 'NONE' },
      { parent_id: 0, parent_external_key: 'a b' },
    ]) {
      expectIssues(await create({ name: 'A', ...parents }), [
        ['parent_id', 'ambiguous_fields'],
        ['parent_external_key', 'ambiguous_fields'],
      ]);
    }
  });

  for (const [parent, code] of [
    ['0', 'too_small'],
    ['-1', 'too_small'],
    ['2147483648', 'too_large'],
    ['9223372036854775807', 'too_large'],
  ] as const) {
    it(`refuses parent_id ${parent} with ${code}`, async () => {
      const answer = await api.call({
        method: 'POST',
        path: PATH,
        body: `{"name":"a","parent_id":${parent}}`,
      });
      expectIssues(answer, [['parent_id', code]]);
    });
  }

  for (const parent of ['"1"', '1.5', '9223372036854775808', '1e30', 'true', '[]']) {
    it(`cannot decode parent_id ${parent}`, async () => {
      const answer = await api.call({
        method: 'POST',
        path: PATH,
        body: `{"name":"a","parent_id":${parent}}`,
      });
      const detail = 'Body field "parent_id" could not be decoded as the expected type';
      expectProblem(answer, 'bad_request', detail);
    });
  }

  it('knows no metadata', async () => {
    expectIssues(await create({ name: 'a', metadata: {} }), [['metadata', 'unknown_field']]);
  });

  it('has siblings that differ in letter case only, and refuses the same key', async () => {
    expect((await create({ name: 'a', external_key: 'root', parent_id: null })).status).to.equal(201);
    const answer = await create({ name: 'a', external_key: 'ROOT' });
    expectProblem(answer, 'conflict', 'location with external_key ROOT already exists');
  });
});

describe('GET /locations', () => {
  const api = useApi();
  const ids: Record<string, number> = {};
  const keysOf = async (query: string) => {
    const { status, body } = await api.call({ path: `${PATH}?${query}` });
    expect(status).to.equal(200);
    return body?.data.map((location: { external_key: string }) => location.external_key);
  };
  before(async () => {
    for (const [external_key, parent] of [
      ['SITE', null],
      ['HALL-2', 'SITE'],
      ['HALL-1', 'SITE'],
      ['OLD', null],
      ['SHELF', 'OLD'],
    ] as const) {
      const json = { external_key, name: external_key.toLowerCase(), parent_external_key: parent };
      ids[external_key] = (await api.call({ method: 'POST', path: PATH, json })).body?.data.id;
    }
    await api.database.rows(`update locations set deleted_at = now() where external_key = 'OLD'`);
  });

  it('lists live locations by key, and names the parent of a child also when it is deleted', async () => {
    expect(await keysOf('')).to.deep.equal(['HALL-1', 'HALL-2', 'SHELF', 'SITE']);
    const { body } = await api.call({ path: `${PATH}?include_deleted=true&external_key=SHELF` });
    expect(body?.data[0]).to.include({ parent_id: ids['OLD'], parent_external_key: 'OLD' });
  });

  it('filters by key, id and parent', async () => {
    expect(await keysOf('external_key=SITE&external_key=OLD')).to.deep.equal(['SITE']);
    expect(await keysOf(`id=${ids['OLD']}`)).to.deep.equal([]);
    expect(await keysOf(`id=${ids['OLD']}&include_deleted=true`)).to.deep.equal(['OLD']);
    expect(await keysOf(`parent_id=${ids['SITE']}`)).to.deep.equal(['HALL-1', 'HALL-2']);
    expect(await keysOf('parent_external_key=SITE&sort=-name')).to.deep.equal(['HALL-2', 'HALL-1']);
    expect(await keysOf('q=hall')).to.deep.equal(['HALL-1', 'HALL-2']);
  });

  it('takes id and parent only once, and only one form of the parent', async () => {
    expectIssues(await api.call({ path: `${PATH}?id=1&id=2&parent_id=1&parent_id=1` }), [
      ['id', 'invalid_value'],
      ['parent_id', 'invalid_value'],
    ]);
    expectIssues(await api.call({ path: `${PATH}?parent_id=1&parent_external_key=A` }), [
      ['parent_id', 'ambiguous_fields'],
      ['parent_external_key', 'ambiguous_fields'],
    ]);
    expectIssues(await api.call({ path: `${PATH}?sort=description` }), [['sort', 'invalid_value']]);
  });

  it('needs locations:read', async () => {
    const key = await api.keyWith(['locations:write', 'assets:read']);
    expectProblem(await api.call({ path: PATH, key }), 'forbidden', 'Missing required scope: locations:read');
  });

  it("shows one by id; another organization's and a deleted one are 404", async () => {
    const { key } = await api.organization('Other');
    const path = `${PATH}/${ids['HALL-1']}`;
    expect((await api.call({ path })).body?.data).to.include({
      external_key: 'HALL-1',
      parent_id: ids['SITE'],
    });
    expectProblem(await api.call({ path, key }), 'not_found', 'Location not found');
    expectProblem(await api.call({ path: `${PATH}/${ids['OLD']}` }), 'not_found', 'Location not found');
  });
});
