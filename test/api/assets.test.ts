import { expect } from 'chai';
import { expectIssues, expectProblem, useApi } from '../support/api.ts';

const PATH = '/api/v1/assets';

describe('POST /assets', () => {
  const api = useApi();
  const create = (json: unknown) => api.call({ method: 'POST', path: PATH, json });

  it('creates an asset with every field, says where it is, and stores what was sent', async () => {
    const { status, headers, body } = await create({
      external_key: 'PUMP-1',
      name: ' Pump ',
      description: 'Blue\nbig',
      is_active: false,
      valid_from: '2026-01-02T03:04:05.1234567+02:00',
      valid_to: null,
      metadata: { b: [1], a: { c: null } },
      tags: [
        { tag_type: 'rfid', value: '00e2-80' },
        { tag_type: 'barcode', value: '00e2-80' },
      ],
    });
    expect(status).to.equal(201);
    const { id, tags, created_at } = body?.data ?? {};
    expect(headers.get('location')).to.equal(`${PATH}/${id}`);
    expect(body?.data).to.deep.include({
      external_key: 'PUMP-1',
      name: ' Pump ',
      description: 'Blue\nbig',
      location_id: null,
      location_external_key: null,
      is_active: false,
      valid_from: '2026-01-02T01:04:05.123Z',
      valid_to: null,
      metadata: { b: [1], a: { c: null } },
      updated_at: created_at,
      deleted_at: null,
    });
    expect(tags).to.deep.equal([
      { id: tags[0].id, tag_type: 'rfid', value: '00e2-80' },
      { id: tags[1].id, tag_type: 'barcode', value: '00e2-80' },
    ]);
    expect(
      await api.database.rows('select org_id, name, valid_from from assets where id = $1', [id]),
    ).to.deep.equal([{ org_id: api.orgId, name: ' Pump ', valid_from: '2026-01-02 01:04:05.123456+00' }]);
    expect(
      await api.database.rows('select tag_key from tags where asset_id = $1 order by id', [id]),
    ).to.deep.equal([{ tag_key: 'E280' }, { tag_key: '00e2-80' }]);
  });

  it('fills what is left out: key, activity, metadata, and validity from the database clock', async () => {
    const { body } = await create({ name: 'Drill' });
    expect(body?.data.external_key).to.match(/^ASSET-\d{4}$/);
    expect(body?.data).to.deep.include({ is_active: true, metadata: {}, description: null, valid_to: null });
    expect(body?.data.valid_from).to.equal(body?.data.created_at);
  });

  it('gives 20 concurrent creates without a key 20 distinct keys', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'Same' })));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(201));
    expect(new Set(answers.map(({ body }) => body?.data.external_key)).size).to.equal(20);
  });

  it("skips minted keys that are taken, and grows past four digits; a caller's own number blocks nothing", async () => {
    const { orgId, key } = await api.organization();
    const make = async (json: object) =>
      (await api.call({ method: 'POST', path: PATH, json, key })).body?.data.external_key;
    for (const external_key of ['ASSET-0001', 'ASSET-0002', 'ASSET-99999999999']) {
      await make({ name: 'Own', external_key });
    }
    expect(await make({ name: 'Minted' })).to.equal('ASSET-0003');
    await api.database.rows('update external_key_counters set last_number = 9998 where org_id = $1', [orgId]);
    expect(await make({ name: 'Minted' })).to.equal('ASSET-9999');
    await make({ name: 'Own', external_key: 'ASSET-10000' });
    expect(await make({ name: 'Minted' })).to.equal('ASSET-10001');
  });

  it('takes as many tags as anybody has, and not what would fill an answer with faults', async () => {
    const tags = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ tag_type: 'rfid', value: `MANY-${index}` }));
    expectIssues(await create({ name: 'A', tags: tags(10_001) }), [['tags', 'too_long']]);
    const { status, body } = await create({ name: 'A', tags: tags(10_000) });
    expect([status, body?.data.tags.length]).to.deep.equal([201, 10_000]);
    const patched = await api.call({
      method: 'PATCH',
      path: `${PATH}/${body?.data.id}`,
      json: { tags: body?.data.tags },
    });
    expect([patched.status, patched.body?.data.updated_at]).to.deep.equal([200, body?.data.updated_at]);
  });

  it('says everything that is wrong, in the order of the fields, unknown ones last', async () => {
    const answer = await create({
      zeta: 1,
      alpha: 1,
      metadata: [],
      valid_to: 'tomorrow',
      valid_from: null,
      is_active: null,
      location_external_key: 'A',
      location_id: 'x',
      description: '',
      name: '',
      external_key: 'a b',
    });
    expectIssues(answer, [
      ['external_key', 'invalid_value'],
      ['name', 'too_short'],
      ['description', 'too_short'],
      ['location_id', 'read_only'],
      ['location_external_key', 'read_only'],
      ['is_active', 'invalid_value'],
      ['valid_from', 'invalid_value'],
      ['valid_to', 'invalid_value'],
      ['metadata', 'invalid_value'],
      ['alpha', 'unknown_field'],
      ['zeta', 'unknown_field'],
    ]);
    expect(answer.body?.error?.detail).to.equal(
      'external_key must match ^[A-Za-z0-9-]+$ (and 10 more validation error(s))',
    );
  });

  for (const [what, json, field, code] of [
    ['a missing name', {}, 'name', 'required'],
    ['a null name', { name: null }, 'name', 'invalid_value'],
    ['256 characters of name', { name: 'x'.repeat(256) }, 'name', 'too_long'],
    ['a control character', { name: 'a\u0007b' }, 'name', 'invalid_value'],
    ['a NUL', { name: 'a\u0000b' }, 'name', 'invalid_value'],
    ['an empty key', { name: 'a', external_key: '' }, 'external_key', 'too_short'],
    ['a blank key', { name: 'a', external_key: ' \t' }, 'external_key', 'too_short'],
    ['a null key', { name: 'a', external_key: null }, 'external_key', 'invalid_value'],
    ['256 characters of key', { name: 'a', external_key: 'k'.repeat(256) }, 'external_key', 'too_long'],
    ['null tags', { name: 'a', tags: null }, 'tags', 'invalid_value'],
    ['a tag without type', { name: 'a', tags: [{ value: '1' }] }, 'tags[0].tag_type', 'required'],
    ['an id', { name: 'a', id: 1 }, 'id', 'unknown_field'],
    ['a creation time', { name: 'a', created_at: '2026-01-01T00:00:00Z' }, 'created_at', 'unknown_field'],
    ['a sentinel', { name: 'a', valid_from: '1970-01-01T01:00:00+01:00' }, 'valid_from', 'invalid_value'],
    ['a time that is a number', { name: 'a', valid_to: 5 }, 'valid_to', 'invalid_value'],
    ['NUL in metadata', { name: 'a', metadata: { k: ['\u0000'] } }, 'metadata', 'invalid_value'],
  ] as const) {
    it(`refuses ${what} with ${code} on ${field}`, async () => {
      expectIssues(await create(json), [[field, code]]);
    });
  }

  it('accepts 255 emoji as a name', async () => {
    const { status, body } = await create({ name: '🔧'.repeat(255) });
    expect(status).to.equal(201);
    expect(body?.data.name).to.equal('🔧'.repeat(255));
  });

  it('keeps the digits of numbers in metadata, and __proto__ as a key', async () => {
    const metadata = '{"big":12345678901234567890,"price":1.10,"huge":1e400,"__proto__":{"x":-0}}';
    const created = await api.call({
      method: 'POST',
      path: PATH,
      body: `{"name":"n","metadata":${metadata}}`,
    });
    expect(created.status).to.equal(201);
    const read = await api.call({ path: `${PATH}/${created.body?.data.id}` });
    expect(read.text).to.include(`"metadata":${metadata}`);
  });

  it('answers 409 for a live key, also in the other case only if it is the same', async () => {
    await create({ name: 'one', external_key: 'DUP' });
    const answer = await create({ name: 'two', external_key: 'DUP' });
    expectProblem(answer, 'conflict', 'asset with external_key DUP already exists');
    expect((await create({ name: 'three', external_key: 'dup' })).status).to.equal(201);
  });

  it('creates nothing if a tag is taken or named twice', async () => {
    const tag = { tag_type: 'ble', value: 'AA:BB' };
    expectProblem(
      await create({ name: 'twice', tags: [tag, tag] }),
      'conflict',
      'tag ble:AA:BB already exists',
    );
    expect((await create({ name: 'first', tags: [tag] })).status).to.equal(201);
    const other = { tag_type: 'ble', value: 'AA:CC' };
    expectProblem(await create({ name: 'second', tags: [other, tag] }), 'conflict');
    expect(await api.database.rows(`select from assets where name in ('twice', 'second')`)).to.deep.equal([]);
    expect(await api.database.rows(`select from tags where value = 'AA:CC'`)).to.deep.equal([]);
  });

  it('needs assets:write', async () => {
    const key = await api.keyWith(['assets:read']);
    const answer = await api.call({ method: 'POST', path: PATH, json: { name: 'a' }, key });
    expectProblem(answer, 'forbidden', 'Missing required scope: assets:write');
  });
});

describe('GET /assets/{asset_id}', () => {
  const api = useApi();
  let id: number;
  before(async () => {
    const { body } = await api.call({ method: 'POST', path: PATH, json: { name: 'Pump' } });
    id = body?.data.id;
  });

  it('shows the asset, also one that is not in effect', async () => {
    await api.database.rows(`update assets set valid_to = '2020-01-01Z' where id = $1`, [id]);
    const { status, body } = await api.call({ path: `${PATH}/${id}` });
    expect(status).to.equal(200);
    expect(body?.data).to.include({ id, name: 'Pump', valid_to: '2020-01-01T00:00:00.000Z' });
  });

  it("is 404 for what does not exist, another organization's, and a deleted asset", async () => {
    const { key } = await api.organization('Other');
    expectProblem(await api.call({ path: `${PATH}/${id}`, key }), 'not_found', 'Asset not found');
    expectProblem(await api.call({ path: `${PATH}/2147483647` }), 'not_found', 'Asset not found');
    await api.database.rows('update assets set deleted_at = now() where id = $1', [id]);
    expectProblem(await api.call({ path: `${PATH}/${id}` }), 'not_found', 'Asset not found');
  });

  for (const [text, code, params] of [
    ['0', 'too_small', { min: 1 }],
    ['-5', 'too_small', { min: 1 }],
    ['2147483648', 'too_large', { max: 2147483647 }],
    ['9'.repeat(400), 'too_large', { max: 2147483647 }],
    ['abc', 'invalid_value', undefined],
    ['1.5', 'invalid_value', undefined],
    ['1e3', 'invalid_value', undefined],
    ['0x1', 'invalid_value', undefined],
    ['+1', 'invalid_value', undefined],
    ['%zz', 'invalid_value', undefined],
  ] as const) {
    it(`refuses the id ${text.slice(0, 12)} with ${code}`, async () => {
      const answer = await api.call({ path: `${PATH}/${text}` });
      expectIssues(answer, [['asset_id', code]]);
      expect(answer.body?.error?.fields?.[0]?.params).to.deep.equal(params);
    });
  }
});
