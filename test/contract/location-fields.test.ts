import { expect } from 'chai';
import { expectFields, LOCATION_FIELDS, useClient, WIRE_TIME } from '../support/contract-client.ts';

describe('a location', () => {
  const client = useClient();

  it('shows every field, in one order, wherever it is shown', async () => {
    const parent = await client.make('locations', { external_key: 'PARENT' });
    const tags = [{ tag_type: 'ble', value: 'B1' }];
    const created = await client.post('/locations', { name: 'Any', parent_id: parent.id, tags });
    const { id } = created.body?.data ?? {};
    const child = await client.make('locations', { parent_id: id });
    const shown = [
      created,
      await client.get(`/locations/${id}`),
      await client.patch(`/locations/${id}`, {}),
      await client.patch(`/locations/${id}`, { description: 'changed' }),
      await client.post(`/locations/${id}/rename`, { external_key: 'SHOWN' }),
      await client.get('/locations?external_key=SHOWN'),
      await client.get(`/locations/${parent.id}/children`),
      await client.get(`/locations/${parent.id}/descendants`),
      await client.get(`/locations/${child.id}/ancestors`),
    ].map(({ body }) => (Array.isArray(body?.data) ? body.data[0] : body?.data));
    for (const location of shown) {
      expect(Object.keys(location)).to.deep.equal(LOCATION_FIELDS);
      expect(location).to.include({
        id,
        parent_id: parent.id,
        parent_external_key: 'PARENT',
        deleted_at: null,
      });
      expect(location.tags.map(Object.keys)).to.deep.equal([['id', 'tag_type', 'value']]);
      for (const field of ['valid_from', 'created_at', 'updated_at']) {
        expect(location[field]).to.match(WIRE_TIME);
      }
    }
  });

  it('is given back as it was created', async () => {
    const json = {
      external_key: 'ALL',
      name: 'All',
      description: 'of it',
      is_active: false,
      valid_from: '2026-01-01T00:00:00.000Z',
      valid_to: '2027-01-01T00:00:00.000Z',
      tags: [],
    };
    const made = await client.make('locations', json);
    expect(made).to.deep.include({ ...json, parent_id: null, parent_external_key: null });
    expect(await client.read('locations', made.id)).to.deep.equal(made);
  });

  it('has names in EPCIS only that the standard knows', async () => {
    const terms = [
      { gln: '4012345000115', biz_step: 'receiving', disposition: 'in_progress' },
      {
        gln: '4012345000115.987',
        biz_step: 'https://example.com/steps#weighing',
        disposition: 'urn:example:d:x',
      },
      { gln: null, biz_step: null, disposition: null },
    ];
    const { id } = await client.make('locations', terms[0]);
    for (const json of terms) {
      expect((await client.patch(`/locations/${id}`, json)).body?.data).to.deep.include(json);
    }
    for (const [field, value] of [
      ['gln', '4012345000116'],
      ['gln', '401234500011'],
      ['gln', '4012345000115.'],
      ['biz_step', 'in_transit'],
      ['disposition', 'Receiving dock'],
    ] as const) {
      expectFields(await client.patch(`/locations/${id}`, { [field]: value }), [
        { field, code: 'invalid_value' },
      ]);
    }
  });

  it('knows no metadata, tree_path, depth or current location', async () => {
    const { id } = await client.make('locations');
    for (const field of ['metadata', 'tree_path', 'depth', 'location_id', 'location_external_key']) {
      const issue = { field, code: 'unknown_field', message: `unknown field "${field}" in request body` };
      expectFields(await client.post('/locations', { name: 'Any', [field]: {} }), [issue]);
      expectFields(await client.patch(`/locations/${id}`, { [field]: {} }), [issue]);
    }
  });

  it('names its immediate parent only, by the key that parent has now', async () => {
    const top = await client.make('locations', { external_key: 'TOP' });
    const middle = await client.make('locations', { external_key: 'MIDDLE', parent_id: top.id });
    const { id } = await client.make('locations', { parent_external_key: 'MIDDLE' });
    await client.post(`/locations/${middle.id}/rename`, { external_key: 'CENTRE' });
    expect(await client.read('locations', id)).to.include({
      parent_id: middle.id,
      parent_external_key: 'CENTRE',
    });
  });

  it('may have a sibling whose key or name differs in letter case only', async () => {
    const { id: parent_id } = await client.make('locations');
    for (const external_key of ['BAY', 'bay', 'Bay']) {
      await client.make('locations', { external_key, name: 'bay', parent_id });
    }
    const keys = await client.keys(`/locations/${parent_id}/children`);
    expect(keys.toSorted()).to.deep.equal(['BAY', 'Bay', 'bay']);
  });

  it('still names the key of a deleted parent when deleted rows are included', async () => {
    const parent = await client.make('locations', { external_key: 'GONE' });
    const child = await client.make('locations', { external_key: 'LEFT', parent_id: parent.id });
    await client.remove(`/locations/${child.id}`);
    await client.remove(`/locations/${parent.id}`);
    await client.make('locations', { external_key: 'GONE' });
    const { body } = await client.get(`/locations?id=${child.id}&include_deleted=true`);
    expect(body?.data[0]).to.include({ parent_id: parent.id, parent_external_key: 'GONE' });
    expect(body?.data[0].deleted_at).to.match(WIRE_TIME);
  });
});
