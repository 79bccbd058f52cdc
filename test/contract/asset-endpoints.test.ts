import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { expectError, expectFields, useClient } from '../support/contract-client.ts';

const NOT_SETTABLE =
  'asset location is collected through scan event ingestion (fixed-reader MQTT pipeline or handheld UI submission) and is not directly settable through the public API';

describe('assets', () => {
  const server = useApi();

  describe('GET /assets', () => {
    const client = useClient(server);
    const ids: Record<string, number> = {};
    before(async () => {
      for (const external_key of ['HALL', 'YARD', 'DOCK']) {
        ids[external_key] = (await client.make('locations', { external_key })).id;
      }
      for (const [external_key, place] of [
        ['A', 'HALL'],
        ['B', 'YARD'],
        ['C', 'DOCK'],
        ['D', null],
        ['E', 'HALL'],
      ] as const) {
        const { id } = await client.make('assets', { external_key });
        ids[external_key] = id;
        if (place !== null) {
          await client.scan(id, ids[place] ?? 0, '2026-05-01T10:00:00Z');
        }
      }
      await client.remove(`/assets/${ids['E']}`);
      await client.remove(`/assets/${ids['C']}`);
      await client.remove(`/locations/${ids['DOCK']}`);
    });
    const keys = (query: string) => client.keys(`/assets?${query}`);

    it('wraps the rows with limit, offset and total_count', async () => {
      const { status, body } = await client.get('/assets');
      expect(status).to.equal(200);
      expect(Object.keys(body ?? {})).to.deep.equal(['data', 'limit', 'offset', 'total_count']);
      expect(body).to.include({ limit: 50, offset: 0, total_count: 3 });
      expect(body?.data[0]).to.deep.equal(await client.read('assets', ids['A'] ?? 0));
    });

    it('filters by any of several keys; a miss is an empty list', async () => {
      expect(await keys('external_key=B&external_key=A&external_key=B&external_key=NONE')).to.deep.equal([
        'A',
        'B',
      ]);
      const miss = await client.get('/assets?external_key=NONE');
      expect(miss.body).to.deep.equal({ data: [], limit: 50, offset: 0, total_count: 0 });
    });

    it('does not take a comma for a separator', async () => {
      expectFields(await client.get('/assets?external_key=A,B'), [
        { field: 'external_key', code: 'invalid_value', message: 'external_key must match ^[A-Za-z0-9-]+$' },
      ]);
      expectFields(await client.get(`/assets?external_key=${'A'.repeat(256)}`), [
        {
          field: 'external_key',
          code: 'invalid_value',
          message: 'external_key must be at most 255 characters',
        },
      ]);
    });

    it('filters by any of several current locations, by id or by key', async () => {
      expect(await keys(`location_id=${ids['HALL']}`)).to.deep.equal(['A']);
      expect(
        await keys(`location_id=${ids['HALL']}&location_id=${ids['YARD']}&location_id=999`),
      ).to.deep.equal(['A', 'B']);
      expect(await keys('location_external_key=YARD&location_external_key=HALL')).to.deep.equal(['A', 'B']);
      expect(await keys('location_external_key=NONE')).to.deep.equal([]);
      expect(await keys('location_external_key=hall')).to.deep.equal([]);
      expect(await keys(`external_key=B&location_id=${ids['HALL']}`)).to.deep.equal([]);
    });

    it('refuses both ways of naming the location, one entry for each', async () => {
      const message = 'location_id and location_external_key are mutually exclusive; supply exactly one';
      for (const query of [
        'location_id=1&location_external_key=A',
        'location_external_key=A&location_id=1',
      ]) {
        expectFields(await client.get(`/assets?${query}`), [
          { field: 'location_id', code: 'ambiguous_fields', message },
          { field: 'location_external_key', code: 'ambiguous_fields', message },
        ]);
      }
      expectFields(await client.get('/assets?location_id=0&location_external_key=a.b&limit=0'), [
        { field: 'location_id', code: 'ambiguous_fields', message },
        { field: 'location_external_key', code: 'ambiguous_fields', message },
        { field: 'limit', code: 'too_small' },
      ]);
    });

    it('adds deleted rows on request only, with the key of a location that was deleted', async () => {
      expect(await keys('')).to.deep.equal(['A', 'B', 'D']);
      expect(await keys('include_deleted=false')).to.deep.equal(['A', 'B', 'D']);
      expect(await keys('include_deleted=true')).to.deep.equal(['A', 'B', 'C', 'D', 'E']);
      const { body } = await client.get('/assets?include_deleted=true&external_key=C');
      expect(body?.data[0]).to.include({ location_id: ids['DOCK'], location_external_key: 'DOCK' });
      expect(await keys(`include_deleted=true&location_id=${ids['DOCK']}`)).to.deep.equal(['C']);
      expect(await keys('include_deleted=true&location_external_key=DOCK')).to.deep.equal(['C']);
      expect(await keys(`location_id=${ids['DOCK']}`)).to.deep.equal([]);
    });

    it('filters by activity, which does not bring deleted rows back', async () => {
      await client.patch(`/assets/${ids['B']}`, { is_active: false });
      expect(await keys('is_active=true')).to.deep.equal(['A', 'D']);
      expect(await keys('is_active=false')).to.deep.equal(['B']);
      expect(await keys('is_active=true&include_deleted=true')).to.deep.equal(['A', 'C', 'D', 'E']);
      await client.patch(`/assets/${ids['B']}`, { is_active: true });
    });

    for (const field of ['is_active', 'include_deleted']) {
      for (const value of ['', '1', '0', 'TRUE', 'True', 'yes', 'null', ' true', 'true,false']) {
        it(`refuses ${field}=${value}`, async () => {
          expectFields(await client.get(`/assets?${field}=${encodeURIComponent(value)}`), [
            { field, code: 'invalid_value' },
          ]);
        });
      }
    }
  });

  describe('writing an asset', () => {
    const client = useClient(server);

    it('never sets its location on create, whatever is sent', async () => {
      const hall = await client.make('locations', { external_key: 'HALL' });
      const asset = await client.make('assets');
      await client.changingNothing(async () => {
        for (const location_id of [hall.id, null, 999, '1', 1.5, {}]) {
          expectFields(await client.post('/assets', { name: 'Any', location_id }), [
            { field: 'location_id', code: 'read_only', message: NOT_SETTABLE },
          ]);
        }
        for (const location_external_key of ['HALL', null, '', 'a b', 5]) {
          expectFields(await client.post('/assets', { name: 'Any', location_external_key }), [
            { field: 'location_external_key', code: 'read_only', message: NOT_SETTABLE },
          ]);
        }
        const both = { location_id: hall.id, location_external_key: 'HALL' };
        const issues = Object.keys(both).map((field) => ({
          field,
          code: 'read_only',
          message: NOT_SETTABLE,
        }));
        expectFields(await client.post('/assets', { name: 'Any', ...both }), issues);
        expectFields(await client.patch(`/assets/${asset.id}`, both), issues);
      });
    });

    it('by PATCH accepts the location it has, in both forms, and no other', async () => {
      const hall = await client.make('locations', { external_key: 'HERE' });
      const yard = await client.make('locations', { external_key: 'THERE' });
      const { id } = await client.make('assets');
      await client.scan(id, hall.id, '2026-05-01T10:00:00Z');
      const asset = await client.read('assets', id);
      for (const json of [
        { location_id: hall.id },
        { location_external_key: 'HERE' },
        { location_id: hall.id, location_external_key: 'HERE' },
      ]) {
        expect((await client.patch(`/assets/${id}`, json)).body?.data).to.deep.equal(asset);
      }
      for (const [field, value] of [
        ['location_id', yard.id],
        ['location_id', null],
        ['location_id', `${hall.id}`],
        ['location_external_key', 'THERE'],
        ['location_external_key', 'here'],
        ['location_external_key', null],
        ['location_external_key', hall.id],
      ] as const) {
        await client.changingNothing(async () => {
          expectFields(await client.patch(`/assets/${id}`, { name: 'Changed', [field]: value }), [
            { field, code: 'read_only', message: NOT_SETTABLE },
          ]);
        });
      }
      expect(
        (await client.patch(`/assets/${id}`, { location_id: yard.id, location_external_key: 'HERE' })).body
          ?.error?.fields,
      ).to.have.length(1);
    });

    it('renames it, answers with it and counts nobody else', async () => {
      const asset = await client.make('assets');
      const { status, body } = await client.post(`/assets/${asset.id}/rename`, { external_key: 'NEW' });
      expect(status).to.equal(200);
      expect(Object.keys(body ?? {})).to.deep.equal(['data', 'descendant_count_affected']);
      expect(body?.descendant_count_affected).to.equal(0);
      expect(body?.data).to.deep.equal({ ...asset, external_key: 'NEW', updated_at: body?.data.updated_at });
      expect(body?.data.updated_at > asset.updated_at).to.equal(true);
      expect(await client.read('assets', asset.id)).to.deep.equal(body?.data);
    });

    it('renames it to its own key without a change, as often as that is asked', async () => {
      const asset = await client.make('assets', { external_key: 'SAME' });
      for (let round = 0; round < 3; round++) {
        const answer = await client.post(`/assets/${asset.id}/rename`, { external_key: 'SAME' });
        expect(answer.body).to.deep.equal({ data: asset, descendant_count_affected: 0 });
      }
    });

    it('does not rename it to the key of another live one, and needs a key', async () => {
      await client.make('assets', { external_key: 'TAKEN' });
      const { id } = await client.make('assets');
      const rename = (json: unknown) => client.post(`/assets/${id}/rename`, json);
      await client.changingNothing(async () => {
        const detail = 'asset with external_key TAKEN already exists';
        expectError(await rename({ external_key: 'TAKEN' }), 409, 'conflict', detail);
        expectFields(await rename({}), [
          { field: 'external_key', code: 'required', message: 'external_key is required' },
        ]);
        expectFields(await rename({ external_key: 'OK', name: 'x' }), [
          { field: 'name', code: 'unknown_field' },
        ]);
        expectError(await rename({ external_key: 5 }), 400, 'bad_request');
      });
      expect((await rename({ external_key: 'taken' })).status).to.equal(200);
      expectError(await client.post('/assets/2147483647/rename', { external_key: 'X' }), 404, 'not_found');
    });
  });
});
