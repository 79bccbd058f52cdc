import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { expectError, expectFields, RESOURCES, SINGULAR, useClient } from '../support/contract-client.ts';

const PATTERN = 'external_key must match ^[A-Za-z0-9-]+$';

describe('identifiers', () => {
  const server = useApi();

  for (const resource of RESOURCES) {
    describe(`the external_key of ${resource}`, () => {
      const client = useClient(server);
      const create = (external_key: unknown) => client.post(`/${resource}`, { name: 'Any', external_key });

      for (const key of ['A', '0', '-', '--', 'aZ-09', 'x'.repeat(255)]) {
        it(`may be ${key.slice(0, 12)} of ${key.length}`, async () => {
          const made = await client.make(resource, { external_key: key });
          expect(made.external_key).to.equal(key);
          expect((await client.read(resource, made.id)).external_key).to.equal(key);
          expect(await client.keys(`/${resource}?external_key=${key}`)).to.deep.equal([key]);
        });
      }

      const malformed = [
        'a.b',
        'a_b',
        'a b',
        ' a',
        'a ',
        'a/b',
        'a:b',
        'a\n',
        '\na',
        'a\u0000',
        'é',
        'Ａ',
        '١',
        'ſ',
        '🔧',
      ];
      for (const key of malformed) {
        it(`is no ${JSON.stringify(key)}, on create and on rename`, async () => {
          const made = await client.make(resource);
          await client.changingNothing(async () => {
            const issues = [{ field: 'external_key', code: 'invalid_value', message: PATTERN }];
            expectFields(await create(key), issues);
            expectFields(await client.post(`/${resource}/${made.id}/rename`, { external_key: key }), issues);
          });
        });

        it(`is no ${JSON.stringify(key)} in a list filter`, async () => {
          expectFields(await client.get(`/${resource}?external_key=${encodeURIComponent(key)}`), [
            { field: 'external_key', code: 'invalid_value' },
          ]);
        });
      }

      it('has 1 to 255 characters; only blanks are none', async () => {
        for (const key of ['', ' ', ' \t\r\n']) {
          const message = 'external_key must be at least 1 character';
          expectFields(await create(key), [
            { field: 'external_key', code: 'too_short', message, params: { min_length: 1 } },
          ]);
        }
        const message = 'external_key must be at most 255 characters';
        const issue = { field: 'external_key', code: 'too_long', message, params: { max_length: 255 } };
        expectFields(await create('x'.repeat(256)), [issue]);
        const { id } = await client.make(resource);
        expectFields(await client.post(`/${resource}/${id}/rename`, { external_key: 'x'.repeat(256) }), [
          issue,
        ]);
        expectFields(await client.post(`/${resource}/${id}/rename`, { external_key: '' }), [
          { field: 'external_key', code: 'too_short', params: { min_length: 1 } },
        ]);
      });

      it('is not null, neither on create nor on rename', async () => {
        const message =
          'external_key cannot be null; omit the field to use the server default, or provide a value';
        expectFields(await create(null), [{ field: 'external_key', code: 'invalid_value', message }]);
        const { id } = await client.make(resource);
        expectFields(await client.post(`/${resource}/${id}/rename`, { external_key: null }), [
          { field: 'external_key', code: 'invalid_value', message: 'external_key cannot be null' },
        ]);
      });

      it('keeps its letter case, which makes another key', async () => {
        for (const key of ['Case', 'CASE', 'case']) {
          expect((await client.make(resource, { external_key: key })).external_key).to.equal(key);
        }
        expect(await client.keys(`/${resource}?external_key=case`)).to.deep.equal(['case']);
        expect(await client.keys(`/${resource}?external_key=cASE`)).to.deep.equal([]);
      });

      it('is unique among live rows, in one organization, for one type', async () => {
        await client.make(resource, { external_key: 'ONE' });
        const detail = `${SINGULAR[resource]} with external_key ONE already exists`;
        await client.changingNothing(async () => expectError(await create('ONE'), 409, 'conflict', detail));
        await client.make(resource === 'assets' ? 'locations' : 'assets', { external_key: 'ONE' });
        const { key } = await client.api.organization('Other');
        await client.make(resource, { external_key: 'ONE' }, { key });
      });

      it('is free again as soon as its row is deleted, as often as that happens', async () => {
        const ids = [];
        for (let round = 0; round < 3; round++) {
          const { id } = await client.make(resource, { external_key: 'AGAIN' });
          ids.push(id);
          expect((await client.remove(`/${resource}/${id}`)).status).to.equal(204);
        }
        expect(new Set(ids).size).to.equal(3);
        expect(await client.keys(`/${resource}?external_key=AGAIN`)).to.deep.equal([]);
        const deleted = await client.get(`/${resource}?external_key=AGAIN&include_deleted=true`);
        expect(deleted.body?.data.map(({ id }: { id: number }) => id)).to.deep.equal(ids);
      });

      it('may be renamed to the key of a deleted row, and a rename frees the old one', async () => {
        const gone = await client.make(resource, { external_key: 'FREED' });
        await client.remove(`/${resource}/${gone.id}`);
        const kept = await client.make(resource, { external_key: 'OLD' });
        const renamed = await client.post(`/${resource}/${kept.id}/rename`, { external_key: 'FREED' });
        expect(renamed.body?.data).to.include({ id: kept.id, external_key: 'FREED' });
        await client.make(resource, { external_key: 'OLD' });
      });
    });

    describe(`the id of ${resource}`, () => {
      const client = useClient(server);

      it('is an integer of the server, which neither a change nor a rename changes', async () => {
        const { id } = await client.make(resource);
        expect(id).to.satisfy(Number.isInteger);
        expect(id).to.be.within(1, 2147483647);
        const changed = await client.patch(`/${resource}/${id}`, { name: 'Other' });
        const renamed = await client.post(`/${resource}/${id}/rename`, { external_key: 'OTHER' });
        expect([changed.body?.data.id, renamed.body?.data.id]).to.deep.equal([id, id]);
        expectFields(await client.post(`/${resource}`, { name: 'Any', id: 5 }), [
          { field: 'id', code: 'unknown_field', message: 'unknown field "id" in request body' },
        ]);
      });
    });
  }

  describe('foreign keys by external_key', () => {
    const client = useClient(server);

    for (const key of ['a.b', 'a_b', 'a b', 'é', 'a\n', 'x'.repeat(256)]) {
      const value = encodeURIComponent(key);
      it(`are refused in every filter if they cannot be keys, as ${JSON.stringify(key.slice(0, 9))}`, async () => {
        for (const [path, field] of [
          ['/assets', 'external_key'],
          ['/assets', 'location_external_key'],
          ['/locations', 'external_key'],
          ['/locations', 'parent_external_key'],
          ['/reports/asset-locations', 'asset_external_key'],
          ['/reports/asset-locations', 'location_external_key'],
        ]) {
          expectFields(await client.get(`${path}?${field}=${value}`), [
            { field: `${field}`, code: 'invalid_value' },
          ]);
        }
      });
    }

    it('are refused in bodies if they cannot be keys', async () => {
      const { id } = await client.make('locations');
      const message = 'parent_external_key must match ^[A-Za-z0-9-]+$';
      const issue = { field: 'parent_external_key', code: 'invalid_value', message };
      for (const parent_external_key of ['a.b', 'é', 'a\n']) {
        expectFields(await client.post('/locations', { name: 'Any', parent_external_key }), [issue]);
        expectFields(await client.patch(`/locations/${id}`, { parent_external_key }), [issue]);
      }
    });

    it('are not found by other letter case', async () => {
      await client.make('locations', { external_key: 'Hall' });
      expectFields(await client.post('/locations', { name: 'Any', parent_external_key: 'HALL' }), [
        { field: 'parent_external_key', code: 'fk_not_found', message: 'parent_external_key HALL not found' },
      ]);
    });
  });
});
