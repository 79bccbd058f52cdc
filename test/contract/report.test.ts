import { expect } from 'chai';
import { expectFields, useClient, WIRE_TIME } from '../support/contract-client.ts';

const REPORT = '/reports/asset-locations';
const FIELDS = [
  'asset_id',
  'asset_external_key',
  'location_id',
  'location_external_key',
  'asset_deleted_at',
  'asset_last_seen',
  'position',
];

interface Row {
  asset_external_key: string;
  location_external_key: string | null;
}

describe('the report of where assets are', () => {
  const client = useClient();
  const ids: Record<string, number> = {};
  before(async () => {
    for (const external_key of ['HALL', 'yard', 'DOCK']) {
      ids[external_key] = (await client.make('locations', { external_key })).id;
    }
    for (const [external_key, place, hour] of [
      ['A', 'HALL', 10],
      ['b', 'yard', 12],
      ['C', 'DOCK', 11],
      ['D', 'yard', 12],
      ['E', 'HALL', 9],
      ['NEVER', null, 0],
      ['OLD', 'HALL', 15],
      ['SOON', 'HALL', 15],
    ] as const) {
      ids[external_key] = (await client.make('assets', { external_key })).id;
      if (place !== null) {
        await client.scan(
          ids[external_key],
          ids[place] ?? 0,
          `2026-05-01T${`${hour}`.padStart(2, '0')}:00:00Z`,
        );
      }
    }
    await client.patch(`/assets/${ids['OLD']}`, { valid_to: '2026-05-02T00:00:00Z' });
    await client.patch(`/assets/${ids['SOON']}`, { valid_from: '2099-01-01T00:00:00Z' });
    await client.patch(`/assets/${ids['b']}`, { is_active: false });
    await client.remove(`/assets/${ids['E']}`);
    // Nothing but a live asset keeps a location from being deleted: C is deleted and comes back alive at the deleted dock.
    await client.remove(`/assets/${ids['C']}`);
    await client.remove(`/locations/${ids['DOCK']}`);
    await client.api.database.rows('update assets set deleted_at = null where id = $1', [ids['C']]);
  });
  const report = (query = '') => client.get(`${REPORT}?${query}`);
  const rows = async (query = ''): Promise<Row[]> => {
    const { status, text, body } = await report(query);
    expect(status, text).to.equal(200);
    return body?.data;
  };
  const assets = async (query = '') => (await rows(query)).map((row) => row.asset_external_key);

  it('has one row for each scanned asset in effect, the last seen first, then by id', async () => {
    expect(await assets()).to.deep.equal(['b', 'D', 'C', 'A']);
  });

  it('has every field in every row', async () => {
    const { body } = await report('include_deleted=true');
    expect(Object.keys(body ?? {})).to.deep.equal(['data', 'limit', 'offset', 'total_count']);
    for (const row of body?.data ?? []) {
      expect(Object.keys(row)).to.deep.equal(FIELDS);
    }
    expect(body?.data.at(-1)).to.deep.include({
      asset_id: ids['E'],
      asset_external_key: 'E',
      location_id: ids['HALL'],
      location_external_key: 'HALL',
      asset_last_seen: '2026-05-01T09:00:00.000Z',
    });
    expect(body?.data.at(-1).asset_deleted_at).to.match(WIRE_TIME);
    expect(body?.data[0].asset_deleted_at).to.equal(null);
  });

  it('shows a deleted location as none', async () => {
    const [row] = await rows('asset_external_key=C');
    expect(row).to.include({ location_id: null, location_external_key: null, asset_deleted_at: null });
    expect(await client.read('assets', ids['C'] ?? 0)).to.include({ location_external_key: 'DOCK' });
  });

  it('adds deleted assets on request only', async () => {
    expect(await assets('include_deleted=false')).to.deep.equal(['b', 'D', 'C', 'A']);
    expect(await assets('include_deleted=true')).to.deep.equal(['b', 'D', 'C', 'A', 'E']);
  });

  it('filters by assets, by locations, and by both together', async () => {
    expect(await assets('location_external_key=HALL')).not.to.deep.equal([]);
    expect(await assets('location_external_key=hall')).to.deep.equal([]);
    expect(await assets(`asset_id=${ids['A']}&asset_id=${ids['b']}&asset_id=${ids['A']}`)).to.deep.equal([
      'b',
      'A',
    ]);
    expect(await assets('asset_external_key=A&asset_external_key=B')).to.deep.equal(['A']);
    expect(await assets(`location_id=${ids['HALL']}`)).to.deep.equal(['A']);
    expect(await assets(`location_id=${ids['HALL']}&location_id=${ids['yard']}`)).to.deep.equal([
      'b',
      'D',
      'A',
    ]);
    expect(await assets('location_external_key=yard')).to.deep.equal(['b', 'D']);
    expect(await assets('location_external_key=yard&asset_external_key=D')).to.deep.equal(['D']);
    expect(await assets(`location_external_key=yard&asset_id=${ids['D']}`)).to.deep.equal(['D']);
    expect(await assets(`location_id=${ids['HALL']}&asset_external_key=D`)).to.deep.equal([]);
    expect(await assets(`asset_id=${ids['NEVER']}`)).to.deep.equal([]);
    expect(await assets('asset_id=2147483647')).to.deep.equal([]);
    expect(await assets(`location_id=${ids['HALL']}&include_deleted=true`)).to.deep.equal(['A', 'E']);
  });

  it('finds what is at a deleted location by the location it was', async () => {
    expect(await rows(`location_id=${ids['DOCK']}`)).to.have.length(1);
    expect(await assets('location_external_key=DOCK')).to.deep.equal(['C']);
  });

  it('sorts by each of its fields and no other', async () => {
    for (const [sort, expected] of [
      ['asset_external_key', ['A', 'C', 'D', 'b']],
      ['-asset_external_key', ['b', 'D', 'C', 'A']],
      ['asset_last_seen', ['A', 'C', 'b', 'D']],
      ['asset_last_seen,-asset_external_key', ['A', 'C', 'b', 'D']],
      ['-asset_last_seen,asset_external_key', ['D', 'b', 'C', 'A']],
      ['location_external_key', ['A', 'b', 'D', 'C']],
      ['-location_external_key', ['b', 'D', 'A', 'C']],
      ['', ['b', 'D', 'C', 'A']],
    ] as const) {
      expect(await assets(`sort=${sort}`), sort).to.deep.equal(expected);
    }
    for (const field of ['asset_id', 'location_id', 'external_key', 'asset_deleted_at', 'name']) {
      expectFields(await report(`sort=${field}`), [
        { field: 'sort', code: 'invalid_value', message: `unknown sort field: ${field}` },
      ]);
    }
  });

  it('pages through every order', async () => {
    for (const sort of ['', 'location_external_key', '-location_external_key', 'asset_last_seen']) {
      const all = await assets(`sort=${sort}&include_deleted=true`);
      const pages: Row[] = [];
      for (let offset = 0; offset < all.length; offset++) {
        const { body } = await report(`sort=${sort}&include_deleted=true&limit=1&offset=${offset}`);
        expect(body).to.include({ limit: 1, offset, total_count: 5 });
        pages.push(...(body?.data ?? []));
      }
      expect(pages.map((row) => row.asset_external_key)).to.deep.equal(all);
    }
  });

  it('refuses both forms of a filter, for each pair', async () => {
    for (const kind of ['asset', 'location']) {
      const [id, key] = [`${kind}_id`, `${kind}_external_key`];
      const message = `${id} and ${key} are mutually exclusive; supply exactly one`;
      expectFields(await report(`${key}=A&${id}=1`), [
        { field: id, code: 'ambiguous_fields', message },
        { field: key, code: 'ambiguous_fields', message },
      ]);
    }
  });

  it('does not know the filters of other lists', async () => {
    expectFields(await report('q=a&is_active=true&id=1&external_key=A&from=x'), [
      ...['external_key', 'from', 'id', 'is_active', 'q'].map((field) => ({
        field,
        code: 'unknown_field',
        message: `unknown parameter: ${field}`,
      })),
    ]);
  });
});
