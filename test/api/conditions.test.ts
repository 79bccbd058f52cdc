import { expect } from 'chai';
import { API_ROUTES } from '../../services/api/routes.ts';
import { expectError, expectFields, RESOURCES, useClient } from '../support/contract-client.ts';

const CONDITIONS = {
  'If-Match': '"any"',
  'If-Unmodified-Since': 'Wed, 01 Jan 2025 00:00:00 GMT',
};

const ULID = '01KQSB3M8R0E5T9V2W4X6Y8Z1A';

describe('a write on a condition', () => {
  const client = useClient();
  let path: (template: string) => string;
  before(async () => {
    const [asset, location] = [await client.make('assets'), await client.make('locations')];
    const [webhook] = await client.api.database.rows<{ id: number }>(
      `insert into webhooks (org_id, name, url) values ($1, 'ERP', 'https://example.com/') returning id`,
      [client.api.orgId],
    );
    await client.api.database.rows(
      `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, metadata, mail_to)
       values ($1, $2, 1, now(), false, 'reader', 'Readers', '[]', '{}')`,
      [client.api.orgId, ULID],
    );
    const ids: Record<string, number> = {
      asset_id: asset.id,
      location_id: location.id,
      webhook_id: webhook?.id ?? 0,
      id: client.api.orgId,
    };
    path = (template) =>
      template
        .replaceAll(/{(key_id|rule_id)}/g, ULID)
        .replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name] ?? 1));
  });

  for (const route of API_ROUTES.filter(({ method }) => method !== 'GET')) {
    it(`is refused, and the condition named: ${route.method} ${route.path}`, async () => {
      const key = await client.api.keyWith(route.scope === null ? [] : [route.scope]);
      for (const [name, value] of Object.entries(CONDITIONS)) {
        await client.changingNothing(async () => {
          const answer = await client.api.call({
            method: route.method,
            path: path(route.path),
            key,
            headers: { [name]: value, ...(route.body === null ? {} : { 'Content-Type': route.body.type }) },
            ...(route.body === null ? {} : { body: '{"name":"Other"}' }),
          });
          expectError(answer, 400, 'bad_request', new RegExp(`^${name} is not supported; .*updated_at`));
        });
      }
    });
  }

  it('is refused where a body is decoded: after the row was found, before its fields', async () => {
    const headers = { 'If-Match': '*' };
    for (const resource of RESOURCES) {
      const { id } = await client.make(resource);
      const patch = (query: string, body: string, row = id) =>
        client.patch(`/${resource}/${row}${query}`, undefined, { body, headers: { ...headers } });
      expectFields(await patch('?x=1', '{'), [{ field: 'x', code: 'unknown_field' }]);
      expectError(await patch('', '{', 2147483647), 404, 'not_found');
      expectError(await patch('', '{'), 400, 'bad_request', /^If-Match/);
      expectError(await patch('', '{"name":""}'), 400, 'bad_request', /^If-Match/);
      const remove = (query: string, row = id) => client.remove(`/${resource}/${row}${query}`, { headers });
      expectFields(await remove('', 0), [{ field: `${resource.slice(0, -1)}_id`, code: 'too_small' }]);
      expectError(await remove(''), 400, 'bad_request', /^If-Match/);
      expect((await client.get(`/${resource}/${id}`, { headers })).status).to.equal(200);
    }
  });

  it('can be made by the updated_at that was read, which is a lock', async () => {
    for (const resource of RESOURCES) {
      const { id, updated_at } = await client.make(resource);
      const first = await client.patch(`/${resource}/${id}`, { name: 'First', updated_at });
      expect(first.body?.data.name).to.equal('First');
      await client.changingNothing(async () => {
        expectFields(await client.patch(`/${resource}/${id}`, { name: 'Second', updated_at }), [
          { field: 'updated_at', code: 'read_only' },
        ]);
      });
      const again = { name: 'Second', updated_at: first.body?.data.updated_at };
      expect((await client.patch(`/${resource}/${id}`, again)).body?.data.name).to.equal('Second');
    }
  });
});
