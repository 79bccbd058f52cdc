import { expect } from 'chai';
import { ASSET_FIELDS, expectFields, useClient, WIRE_TIME } from '../support/contract-client.ts';

describe('an asset', () => {
  const client = useClient();

  it('shows every field, in one order, wherever it is shown', async () => {
    const created = await client.post('/assets', { name: 'Any', tags: [{ tag_type: 'rfid', value: 'A1' }] });
    const { id } = created.body?.data ?? {};
    const shown = [
      created,
      await client.get(`/assets/${id}`),
      await client.patch(`/assets/${id}`, {}),
      await client.patch(`/assets/${id}`, { description: 'changed' }),
      await client.post(`/assets/${id}/rename`, { external_key: 'SHOWN' }),
      await client.get('/assets?external_key=SHOWN'),
    ].map(({ body }) => (Array.isArray(body?.data) ? body.data[0] : body?.data));
    for (const asset of shown) {
      expect(Object.keys(asset)).to.deep.equal(ASSET_FIELDS);
      expect(asset).to.include({ id, location_id: null, location_external_key: null, deleted_at: null });
      expect(asset.tags.map(Object.keys)).to.deep.equal([['id', 'tag_type', 'value']]);
      for (const field of ['valid_from', 'created_at', 'updated_at']) {
        expect(asset[field]).to.match(WIRE_TIME);
      }
    }
    await client.remove(`/assets/${id}`);
    const list = await client.get('/assets?external_key=SHOWN&include_deleted=true');
    expect(Object.keys(list.body?.data[0])).to.deep.equal(ASSET_FIELDS);
    expect(list.body?.data[0].deleted_at).to.match(WIRE_TIME);
    expect(list.body?.data[0].tags).to.deep.equal([]);
  });

  it('is given back as it was created', async () => {
    const json = {
      external_key: 'ALL',
      name: 'All',
      description: 'of it',
      is_active: false,
      valid_from: '2026-01-01T00:00:00.000Z',
      valid_to: '2027-01-01T00:00:00.000Z',
      metadata: { a: 1 },
    };
    const made = await client.make('assets', { ...json, tags: [] });
    expect(made).to.deep.include(json);
    expect(await client.read('assets', made.id)).to.deep.equal(made);
  });

  it('shows the location of its last scan, by id and key, and its row stays as it was', async () => {
    const asset = await client.make('assets');
    const hall = await client.make('locations', { external_key: 'HALL' });
    await client.scan(asset.id, hall.id, '2026-05-01T10:00:00Z');
    const found = await client.read('assets', asset.id);
    expect(found).to.include({ location_id: hall.id, location_external_key: 'HALL' });
    expect(found.updated_at).to.equal(asset.updated_at);
    await client.post(`/locations/${hall.id}/rename`, { external_key: 'HALL-2' });
    expect(await client.read('assets', asset.id)).to.include({ location_external_key: 'HALL-2' });
    const patched = await client.patch(`/assets/${asset.id}`, { name: 'Found' });
    expect(patched.body?.data).to.include({ location_id: hall.id, location_external_key: 'HALL-2' });
  });

  describe('has metadata', () => {
    const digits =
      '{"9":1,"10":2,"z":12345678901234567890,"a":1.10,"e":1e400,"m":-0,"f":1E+2,"__proto__":{"x":1.0},"":null,"n":[0.10,{"é":"ü\\n"}]}';

    it('that survives unchanged, digits and odd keys included', async () => {
      const made = await client.post('/assets', undefined, { body: `{"name":"m","metadata":${digits}}` });
      expect(made.status, made.text).to.equal(201);
      const path = `/assets/${made.body?.data.id}`;
      const other = await client.make('assets');
      const patched = await client.patch(`/assets/${other.id}`, undefined, {
        body: `{"metadata":${digits}}`,
      });
      const renamed = await client.post(`${path}/rename`, { external_key: 'META' });
      const listed = await client.get('/assets?external_key=META');
      for (const { text } of [made, await client.get(path), patched, renamed, listed]) {
        expect(text).to.include(`"metadata":${digits}`);
      }
    });

    it('that is an object of any keys, and {} if it is left out', async () => {
      expect((await client.make('assets')).metadata).to.deep.equal({});
      expect((await client.make('assets', { metadata: {} })).metadata).to.deep.equal({});
      const metadata = { 'a b': { c: [null, true, 'x', { d: {} }] }, ключ: 1 };
      expect((await client.make('assets', { metadata })).metadata).to.deep.equal(metadata);
    });

    for (const value of ['null', '[]', '[{}]', '"{}"', '""', '5', '0', 'true', 'false']) {
      it(`that is not ${value}`, async () => {
        const { id } = await client.make('assets');
        const issue = { field: 'metadata', code: 'invalid_value' };
        await client.changingNothing(async () => {
          const body = `{"name":"m","metadata":${value}}`;
          expectFields(await client.post('/assets', undefined, { body }), [issue]);
          const patched = await client.patch(`/assets/${id}`, undefined, { body: `{"metadata":${value}}` });
          expectFields(patched, [issue]);
        });
      });
    }

    it('whose kind is named when it is wrong', async () => {
      expectFields(await client.post('/assets', { name: 'm', metadata: 5 }), [
        { field: 'metadata', code: 'invalid_value', message: 'metadata must be a JSON object' },
      ]);
    });

    for (const metadata of ['{"k":"\\u0000"}', '{"\\u0000":1}', '{"a":[{"b":"x\\u0000y"}]}']) {
      it(`that has no NUL in it, as in ${metadata}`, async () => {
        const { id } = await client.make('assets');
        await client.changingNothing(async () => {
          const created = await client.post('/assets', undefined, {
            body: `{"name":"m","metadata":${metadata}}`,
          });
          expect(created.status).to.equal(400);
          const patched = await client.patch(`/assets/${id}`, undefined, {
            body: `{"metadata":${metadata}}`,
          });
          expect(patched.status).to.equal(400);
        });
      });
    }

    it('that may have escaped backslashes before u0000', async () => {
      const metadata = '{"k":"\\\\u0000"}';
      const { text } = await client.post('/assets', undefined, {
        body: `{"name":"m","metadata":${metadata}}`,
      });
      expect(text).to.include(`"metadata":${metadata}`);
    });
  });
});
