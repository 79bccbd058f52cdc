import { expect } from 'chai';
import { expectFields, useClient } from '../support/contract-client.ts';

describe('pages of lists', () => {
  const client = useClient();
  const lists: string[] = [];
  before(async () => {
    const place = await client.make('locations', { external_key: 'L-0' });
    const child = await client.make('locations', { external_key: 'L-1', parent_id: place.id });
    const asset = await client.make('assets', { external_key: 'A-0' });
    await client.scan(asset.id, place.id, '2026-05-01T10:00:00Z');
    lists.push(
      '/assets',
      '/locations',
      '/reports/asset-locations',
      `/assets/${asset.id}/history`,
      `/locations/${child.id}/ancestors`,
      `/locations/${place.id}/children`,
      `/locations/${place.id}/descendants`,
    );
  });

  /** What is wrong with these query parameters, at every list. */
  const REFUSED = [
    ['limit', '0', 'too_small', 'limit must be >= 1', { min: 1 }],
    ['limit', '-1', 'too_small', 'limit must be >= 1', { min: 1 }],
    ['limit', '201', 'too_large', 'limit must be <= 200', { max: 200 }],
    ['limit', '9'.repeat(60), 'too_large', 'limit must be <= 200', { max: 200 }],
    ['limit', '', 'invalid_value', undefined, undefined],
    ['limit', 'ten', 'invalid_value', 'limit must be an integer', undefined],
    ['limit', '1.0', 'invalid_value', 'limit must be an integer', undefined],
    ['limit', '1e1', 'invalid_value', 'limit must be an integer', undefined],
    ['limit', '%2B1', 'invalid_value', 'limit must be an integer', undefined],
    ['limit', '%201', 'invalid_value', 'limit must be an integer', undefined],
    ['offset', '-1', 'too_small', 'offset must be >= 0', { min: 0 }],
    ['offset', '2147483648', 'too_large', 'offset must be <= 2147483647', { max: 2147483647 }],
    ['offset', '9'.repeat(60), 'too_large', 'offset must be <= 2147483647', { max: 2147483647 }],
    ['offset', '', 'invalid_value', undefined, undefined],
    ['offset', 'x', 'invalid_value', 'offset must be an integer', undefined],
    ['offset', '0x0', 'invalid_value', 'offset must be an integer', undefined],
  ] as const;

  for (const [field, value, code, message, params] of REFUSED) {
    it(`are not those of ${field}=${value.slice(0, 12)}`, async () => {
      for (const path of lists) {
        const issue = { field, code, ...(message && { message }), ...(params && { params }) };
        expectFields(await client.get(`${path}?${field}=${value}`), [issue]);
      }
    });
  }

  it('are named once', async () => {
    for (const path of lists) {
      expectFields(await client.get(`${path}?limit=1&limit=1`), [{ field: 'limit', code: 'invalid_value' }]);
      expectFields(await client.get(`${path}?offset=1&offset=2`), [
        { field: 'offset', code: 'invalid_value' },
      ]);
    }
  });

  it('are 50 rows from the start unless asked otherwise, and say which they are', async () => {
    for (const path of lists) {
      const { body } = await client.get(path);
      expect(body).to.include({ limit: 50, offset: 0 });
      expect(body?.total_count).to.equal(body?.data.length);
      const other = await client.get(`${path}?limit=200&offset=2147483647`);
      expect(other.body).to.deep.equal({
        data: [],
        limit: 200,
        offset: 2147483647,
        total_count: body?.total_count,
      });
      expect((await client.get(`${path}?limit=1`)).body?.data).to.have.length(1);
    }
  });

  it('are cut at 50 and at 200 of more rows, and never overlap', async () => {
    const { key } = await client.api.organization('Large');
    await client.api.database.rows(
      `insert into assets (org_id, external_key, name)
       select max(id), 'K-' || n, 'same' from organizations, generate_series(1, 205) n group by n`,
    );
    const page = async (query: string) => (await client.get(`/assets?${query}`, { key })).body;
    expect((await page(''))?.data).to.have.length(50);
    expect((await page('limit=200'))?.data).to.have.length(200);
    const seen = [];
    for (let offset = 0; offset < 250; offset += 50) {
      const body = await page(`sort=name&offset=${offset}`);
      expect(body?.total_count).to.equal(205);
      seen.push(...(body?.data ?? []).map(({ id }: { id: number }) => id));
    }
    expect(seen).to.deep.equal(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size).to.equal(205);
  });

  const WHOLE = ['/assets', '/locations', '/reports/asset-locations', '/reports/presence'];

  it('are those after an id, in order of ids, without another order or place', async () => {
    for (const path of WHOLE) {
      const { body } = await client.get(`${path}?after=0`);
      const ids = (body?.data ?? []).map(idOf);
      expect(ids, path).to.deep.equal(ids.toSorted((a: number, b: number) => a - b));
      const rest = await client.get(`${path}?after=${ids[0]}`);
      expect(rest.body, path).to.deep.include({
        data: body?.data.slice(1),
        offset: 0,
        total_count: ids.length,
      });
      for (const [value, code] of [
        ['-1', 'too_small'],
        ['2147483648', 'too_large'],
        ['x', 'invalid_value'],
      ] as const) {
        expectFields(await client.get(`${path}?after=${value}`), [{ field: 'after', code }]);
      }
      for (const other of ['offset', 'sort']) {
        const message = `after and ${other} are mutually exclusive; supply exactly one`;
        const issues = [other, 'after'].map((field) => ({ field, code: 'ambiguous_fields', message }));
        expectFields(await client.get(`${path}?after=1&${other}=1`), issues);
      }
      const unsorted = await client.get(`${path}?after=${ids[0]}&sort=`);
      expect(unsorted.body, path).to.deep.equal(rest.body);
    }
  });

  for (const path of ['/assets', '/locations']) {
    it(`of ${path} have each row once that is there all the while, whatever others write`, async () => {
      const { key } = await client.api.organization(`Whole ${path}`);
      const write = async (method: string, below: string, json?: object) => {
        const made = await client.api.call({ method, path: `/api/v1${path}${below}`, key, json });
        expect(made.status, made.text).to.be.within(200, 204);
        return made.body?.data;
      };
      const made: number[] = [];
      for (let number = 10; number < 34; number++) {
        made.push((await write('POST', '', { name: 'x', external_key: `K-${number}` })).id);
      }
      const [kept, gone] = [made.filter((_, at) => at % 3 !== 0), made.filter((_, at) => at % 3 === 0)];
      const read: number[] = [];
      let page: number[] = [];
      do {
        const turn = read.length;
        const { body } = await client.get(`${path}?limit=5&after=${read.at(-1) ?? 0}`, { key });
        page = (body?.data ?? []).map(idOf);
        read.push(...page);
        // Keys that sort before and behind those read; and others come and go.
        await write('POST', `/${kept[turn % kept.length]}/rename`, { external_key: `Z-${turn}` });
        await write('POST', `/${kept.at(-1 - (turn % 5))}/rename`, { external_key: `A-${turn}` });
        await write('POST', '', { name: 'x', external_key: `B-${turn}` });
        await write('DELETE', `/${gone.splice(turn % 2 === 0 ? 0 : -1, 1)}`);
      } while (page.length === 5);
      expect(read.filter((id) => kept.includes(id))).to.deep.equal(kept);
      expect(new Set(read).size).to.equal(read.length);
    });
  }

  it('count what the filters leave', async () => {
    for (const query of ['external_key=A-0', 'q=a-0', 'external_key=A-0&q=nothing']) {
      const { body } = await client.get(`/assets?limit=1&offset=0&${query}`);
      expect(body?.total_count).to.equal(query.endsWith('nothing') ? 0 : 1);
    }
  });
});

function idOf(row: { id?: number; asset_id?: number }): number {
  return row.id ?? row.asset_id ?? 0;
}
