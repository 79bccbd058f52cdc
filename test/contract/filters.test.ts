import { expect } from 'chai';
import { expectError, expectFields, useClient } from '../support/contract-client.ts';

const NOT_UTF_8 = ['%FF', 'a%C3%28', '%C3', '%ED%A0%80', '%C0%AF', '%F8%88%80%80%80'];

describe('a filter', () => {
  const client = useClient();
  let id: number;
  before(async () => {
    ({ id } = await client.make('assets', { name: 'Straße 100%', external_key: 'STREET' }));
  });

  it('that is repeated is told of every value that is wrong', async () => {
    const keys = 'external_key=A&external_key=b_c&external_key=d.e&external_key=b_c';
    for (const path of ['/assets', '/locations']) {
      const message = 'external_key must match ^[A-Za-z0-9-]+$';
      expectFields(await client.get(`${path}?${keys}`), [
        { field: 'external_key', code: 'invalid_value', message, params: { value: 'b_c' } },
        { field: 'external_key', code: 'invalid_value', message, params: { value: 'd.e' } },
      ]);
    }
    const ids = 'location_id=0&location_id=4&location_id=x&location_id=2147483648';
    for (const path of ['/assets', '/reports/asset-locations']) {
      expectFields(await client.get(`${path}?${ids}&limit=0`), [
        { field: 'location_id', code: 'too_small', params: { min: 1, value: '0' } },
        { field: 'location_id', code: 'invalid_value', params: { value: 'x' } },
        { field: 'location_id', code: 'too_large', params: { max: 2147483647, value: '2147483648' } },
        { field: 'limit', code: 'too_small' },
      ]);
    }
  });

  it('that is no UTF-8 is invalid, and not read as other text', async () => {
    for (const text of NOT_UTF_8) {
      expectFields(await client.get(`/assets?q=${text}&limit=1`), [
        { field: 'q', code: 'invalid_value', message: 'q must be percent-encoded UTF-8' },
      ]);
      expectFields(await client.get(`/locations?external_key=A&external_key=${text}&x=${text}`), [
        { field: 'external_key', code: 'invalid_value' },
        { field: 'x', code: 'unknown_field' },
      ]);
      const answer = await client.get(`/assets?${text}=1`);
      expectFields(answer, [
        { field: new URLSearchParams(text).keys().next().value ?? '', code: 'unknown_field' },
      ]);
    }
  });

  it('takes a percent sign that encodes nothing as it is, beside letters that are encoded', async () => {
    for (const text of ['100%', 'Stra%C3%9Fe', 'Stra%C3%9Fe 100%', '100%25']) {
      expect(await client.keys(`/assets?q=${text}`), text).to.deep.equal(['STREET']);
    }
  });

  it('of time says so where a plus was not encoded', async () => {
    const hint = /^Invalid 'from' timestamp; expected RFC 3339, e\.g\. \S+Z; .*blank.*%2B$/;
    for (const [from, message] of [
      ['2026-01-01T00:00:00+02:00', hint],
      ['2026-01-01T00:00:00.5+02:00', hint],
      ['2026-01-01T00:00:00%2002:00', hint],
      ['2026-01-01+00:00:00', /Z$/],
      ['2026-01-01T00:00:00+0200', /Z$/],
    ] as const) {
      const path = `/assets/${id}/history?from=${from}`;
      expectFields(await client.get(path), [{ field: 'from', code: 'invalid_value', message }]);
    }
    expect((await client.get(`/assets/${id}/history?from=2026-01-01T00:00:00%2B02:00`)).status).to.equal(200);
  });
});

describe('a path', () => {
  const client = useClient();

  it('that is no UTF-8 is a bad request, known or not, with or without a key', async () => {
    for (const text of NOT_UTF_8) {
      for (const path of [`/assets/${text}`, `/${text}`, `/assets/1/tags/${text}`]) {
        for (const key of [client.api.key, null]) {
          const answer = await client.get(`${path}?limit=x`, { key });
          expectError(answer, 400, 'bad_request', 'Request path must be percent-encoded UTF-8');
        }
      }
    }
  });

  it('that is UTF-8 is another path, or no id', async () => {
    expectError(await client.get('/%C3%A4'), 404, 'not_found');
    for (const text of ['%C3%A4', '%', '%00', '%2F1']) {
      expectFields(await client.get(`/assets/${text}`), [{ field: 'asset_id', code: 'invalid_value' }]);
    }
  });
});
