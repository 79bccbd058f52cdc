import { expect } from 'chai';
import { expectError, expectFields, RESOURCES, useClient } from '../support/contract-client.ts';

const PAST = '2020-01-01T00:00:00.000Z';
const FUTURE = '2099-01-01T00:00:00.000Z';

/** Windows around now, and around nothing. */
const WINDOWS = [
  ['open', { valid_from: PAST }, true],
  ['closing', { valid_from: PAST, valid_to: FUTURE }, true],
  ['ended', { valid_from: PAST, valid_to: '2021-01-01T00:00:00Z' }, false],
  ['coming', { valid_from: FUTURE }, false],
  ['empty', { valid_from: PAST, valid_to: PAST }, false],
  ['reversed', { valid_from: FUTURE, valid_to: PAST }, false],
  ['default', {}, true],
] as const;

describe('the currently effective rows', () => {
  const client = useClient();
  const ids: Record<string, number> = {};
  let root: number;
  let hidden: number;
  before(async () => {
    ({ id: root } = await client.make('locations', { external_key: 'root' }));
    ({ id: hidden } = await client.make('locations', { external_key: 'hidden', valid_to: PAST }));
    for (const [external_key, window] of WINDOWS) {
      await client.make('locations', { ...window, external_key, parent_id: root });
      ids[external_key] = (await client.make('assets', { ...window, external_key })).id;
      await client.scan(ids[external_key] ?? 0, hidden, '2026-05-01T10:00:00Z');
    }
  });
  const effective = WINDOWS.filter(([, , isEffective]) => isEffective).map(([key]) => key);
  const all = WINDOWS.map(([key]) => key);

  it('are what lists show, with their count', async () => {
    for (const [path, expected] of [
      ['/assets', effective],
      [`/locations?parent_id=${root}`, effective],
    ] as const) {
      expect(await client.keys(path)).to.have.members(expected);
      expect((await client.get(path)).body?.total_count).to.equal(expected.length);
    }
  });

  it('are what the report shows, by the asset, wherever that is', async () => {
    const { body } = await client.get('/reports/asset-locations');
    const rows: { asset_external_key: string; location_external_key: string }[] = body?.data;
    expect(rows.map((row) => row.asset_external_key)).to.have.members(effective);
    expect(new Set(rows.map((row) => row.location_external_key))).to.deep.equal(new Set(['hidden']));
    expect(body?.total_count).to.equal(effective.length);
  });

  it('are not made more by any filter', async () => {
    for (const query of [
      'include_deleted=true',
      'is_active=true',
      'q=e',
      ...all.map((key) => `external_key=${key}`),
    ]) {
      for (const path of ['/assets', '/locations']) {
        for (const key of await client.keys(`${path}?${query}`)) {
          expect([...effective, 'root']).to.include(key);
        }
      }
    }
    const { body } = await client.get('/reports/asset-locations?include_deleted=true');
    expect(body?.total_count).to.equal(effective.length);
    expect(await client.keys(`/locations?id=${hidden}&include_deleted=true`)).to.deep.equal([]);
  });

  it('are joined by the others where those are asked for, on every page and in every total', async () => {
    const others = 'include_not_in_effect=true';
    for (const path of [`/assets?${others}`, `/locations?parent_id=${root}&${others}`]) {
      expect(await client.keys(path)).to.have.members(all);
      expect((await client.get(`${path}&limit=2`)).body?.total_count).to.equal(all.length);
      expect((await client.get(`${path}&limit=2&offset=99`)).body?.total_count).to.equal(all.length);
      expect((await client.get(`${path}&is_active=false`)).body?.total_count).to.equal(0);
      expect((await client.get(`${path}&is_active=true`)).body?.total_count).to.equal(all.length);
    }
    const { body } = await client.get(`/locations?${others}`);
    expect(body?.total_count).to.equal(all.length + 2);
    const report = await client.get(`/reports/asset-locations?${others}&sort=asset_external_key`);
    const rows: { asset_external_key: string }[] = report.body?.data;
    expect(rows.map((row) => row.asset_external_key)).to.deep.equal(all.toSorted());
    expect(report.body?.total_count).to.equal(all.length);
    for (const path of ['/assets?', `/locations?parent_id=${root}&`]) {
      expect(await client.keys(`${path}include_not_in_effect=false`)).to.have.members(effective);
    }
  });

  it('hide who has a key or a tag, and the filter shows it', async () => {
    for (const resource of RESOURCES) {
      const tag = { tag_type: 'barcode', value: `${resource}-of-ended` };
      const { id } = await client.make(resource, { external_key: 'taken', valid_to: PAST, tags: [tag] });
      expectError(await client.post(`/${resource}`, { name: 'Any', external_key: 'taken' }), 409, 'conflict');
      expect(await client.keys(`/${resource}?external_key=taken`)).to.deep.equal([]);
      for (const query of ['external_key=taken', `q=${tag.value}`]) {
        const { body } = await client.get(`/${resource}?${query}&include_not_in_effect=true`);
        expect(body?.data.map((row: { id: number }) => row.id)).to.deep.equal([id]);
      }
      await client.remove(`/${resource}/${id}`);
      const path = `/${resource}?external_key=taken`;
      expect(await client.keys(`${path}&include_not_in_effect=true`)).to.deep.equal([]);
      expect(await client.keys(`${path}&include_deleted=true`)).to.deep.equal([]);
      expect(await client.keys(`${path}&include_deleted=true&include_not_in_effect=true`)).to.deep.equal([
        'taken',
      ]);
    }
  });

  it('are asked to be joined with true or false, once', async () => {
    for (const path of ['/assets', '/locations', '/reports/asset-locations']) {
      for (const query of ['=1', '=', '=true&include_not_in_effect=true']) {
        const answer = await client.get(`${path}?include_not_in_effect${query}`);
        expectFields(answer, [{ field: 'include_not_in_effect', code: 'invalid_value' }]);
      }
    }
  });

  it('are also what is shown of deleted rows', async () => {
    for (const [external_key, window] of WINDOWS) {
      const { id } = await client.make('assets', { ...window, external_key: `gone-${external_key}` });
      await client.remove(`/assets/${id}`);
    }
    const found = await client.keys('/assets?include_deleted=true&q=gone-');
    expect(found).to.have.members(effective.map((key) => `gone-${key}`));
  });

  it('are all there by id, in the tree and in history', async () => {
    for (const id of Object.values(ids)) {
      await client.read('assets', id);
      expect((await client.get(`/assets/${id}/history`)).body?.total_count).to.equal(1);
    }
    await client.read('locations', hidden);
    for (const which of ['children', 'descendants']) {
      expect(await client.keys(`/locations/${root}/${which}`)).to.have.members(all);
    }
    const child = await client.make('locations', { parent_id: hidden });
    expect(await client.keys(`/locations/${child.id}/ancestors`)).to.deep.equal(['hidden']);
  });

  it('are not what filters and foreign keys look up', async () => {
    expect(await client.keys('/assets?location_external_key=hidden')).to.have.members(effective);
    expect(await client.keys(`/assets?location_id=${hidden}`)).to.have.members(effective);
    await client.make('locations', { external_key: 'under', parent_external_key: 'hidden' });
    expect(await client.keys('/locations?parent_external_key=hidden')).to.include('under');
  });

  it('follow a change of the window at once', async () => {
    const { id } = await client.make('assets', { external_key: 'moving' });
    const isListed = async () => (await client.keys('/assets?external_key=moving')).length === 1;
    expect(await isListed()).to.equal(true);
    for (const [json, listed] of [
      [{ valid_from: FUTURE }, false],
      [{ valid_from: PAST }, true],
      [{ valid_to: PAST }, false],
      [{ valid_to: null }, true],
    ] as const) {
      await client.patch(`/assets/${id}`, json);
      expect(await isListed()).to.equal(listed);
    }
  });
});
