import { expect } from 'chai';
import { expectFields, useClient } from '../support/contract-client.ts';
import { type StoredSweep, storeSweepBy } from '../support/stored-sweep.ts';

const REPORT = '/reports/sweeps';
const MAY = 'from=2021-05-01T00:00:00Z&to=2021-05-31T00:00:00Z';

describe('the report of sweeps', () => {
  const client = useClient();
  const ids: Record<string, number> = {};

  before(async () => {
    ids['SITE'] = (await client.make('locations', { external_key: 'SITE' })).id;
    for (const external_key of ['DOCK', 'YARD']) {
      ids[external_key] = (await client.make('locations', { external_key, parent_id: ids['SITE'] })).id;
    }
    for (const external_key of ['A', 'B', 'C', 'OLD', 'LATER']) {
      ids[external_key] = (await client.make('assets', { external_key })).id;
    }
    const assets = (...keys: string[]) => keys.map((key) => ids[key] ?? 0);
    const store = (id: string, place: string, endedAt: string, sweep: Partial<StoredSweep> = {}) =>
      storeSweepBy(
        client.api.database,
        { orgId: client.api.orgId, handheld: 'Early shift' },
        { id, locationId: ids[place] ?? 0, endedAt, ...sweep },
      );
    await store('FIRST', 'DOCK', '2021-05-01T00:00:00.000001Z', {
      expected: assets('A', 'B', 'OLD'),
      found: assets('A', 'C'),
      movedHere: assets('C'),
      missing: assets('B', 'OLD'),
      unknown: ['E2801', 'e2801'],
      withDescendants: true,
    });
    await store('SECOND', 'YARD', '2021-05-04T08:09:40.500Z', { found: assets('A', 'LATER') });
    await store('THIRD', 'DOCK', '2021-05-04T08:09:40.500Z', { expected: assets('B'), found: assets('B') });
    await store('BEFORE', 'DOCK', '2021-04-30T23:59:59.999999Z');
    await store('AFTER', 'DOCK', '2021-05-31T00:00:00Z');
    await client.remove(`/assets/${ids['OLD']}`);
    await client.api.database.rows(`update assets set deleted_at = '2021-05-20T12:00:00Z' where id = $1`, [
      ids['OLD'],
    ]);
    await client.remove(`/assets/${ids['LATER']}`);
    await client.api.database.rows(`update assets set deleted_at = '2021-06-20T12:00:00Z' where id = $1`, [
      ids['LATER'],
    ]);
  });

  const rows = async (query: string) => {
    const { status, text, body } = await client.get(`${REPORT}?${query}`);
    expect(status, text).to.equal(200);
    return body?.data ?? [];
  };
  const sweeps = async (query = MAY): Promise<string[]> =>
    (await rows(query)).map((row: { sweep_id: string }) => row.sweep_id);

  it('has one row for each sweep that ended in the window, the latest first, then by id', async () => {
    expect(await sweeps()).to.deep.equal(['SECOND', 'THIRD', 'FIRST']);
    expect(await sweeps('from=2021-05-04T10:09:40.5%2B02:00&to=2021-05-04T08:09:40.501Z')).to.have.length(2);
    expect(await sweeps('from=2021-05-04T08:00:00Z&to=2021-05-04T08:09:40.5Z')).to.deep.equal([]);
    expect(await sweeps('from=2021-05-31T00:00:00Z&to=2021-05-01T00:00:00Z')).to.deep.equal([]);
  });

  it('says where, with which handheld and when, and what was found', async () => {
    expect((await rows(`${MAY}&sort=ended_at`))[0]).to.deep.equal({
      sweep_id: 'FIRST',
      location_id: ids['DOCK'],
      location_external_key: 'DOCK',
      handheld_id: await handheldId(),
      handheld_name: 'Early shift',
      began_at: '2021-04-30T23:59:00.000Z',
      ended_at: '2021-05-01T00:00:00.000Z',
      received_at: '2021-05-01T00:01:00.000Z',
      include_descendants: true,
      expected: 3,
      found: 2,
      moved_here: 1,
      missing: 2,
      unknown: 2,
      accuracy: 1 / 3,
    });
  });

  it('has the share of the expected that was found as accuracy, and none where nothing was expected', async () => {
    const accuracies = (await rows(MAY)).map((row: { accuracy: number | null }) => row.accuracy);
    expect(accuracies).to.deep.equal([null, 1, 1 / 3]);
  });

  it('filters by location, also with those below it, and by assets in any of the lists', async () => {
    expect(await sweeps(`${MAY}&location_external_key=DOCK`)).to.deep.equal(['THIRD', 'FIRST']);
    expect(await sweeps(`${MAY}&location_id=${ids['SITE']}`)).to.deep.equal([]);
    expect(await sweeps(`${MAY}&location_id=${ids['SITE']}&include_descendants=true`)).to.have.length(3);
    for (const [asset, expected] of [
      ['A', ['SECOND', 'FIRST']],
      ['B', ['THIRD', 'FIRST']],
      ['C', ['FIRST']],
      ['NONE', []],
    ] as const) {
      expect(await sweeps(`${MAY}&asset_external_key=${asset}`), asset).to.deep.equal(expected);
    }
    expect(await sweeps(`${MAY}&asset_id=${ids['A']}&location_external_key=YARD`)).to.deep.equal(['SECOND']);
  });

  it('finds assets that were deleted by the end of the window on request only', async () => {
    expect(await sweeps(`${MAY}&asset_id=${ids['OLD']}`)).to.deep.equal([]);
    expect(await sweeps(`${MAY}&asset_id=${ids['OLD']}&include_deleted=true`)).to.deep.equal(['FIRST']);
    expect(await sweeps(`${MAY}&asset_id=${ids['LATER']}`)).to.deep.equal(['SECOND']);
  });

  it('counts a location by the tree as it was when the sweep ended', async () => {
    const site = `${MAY}&location_id=${ids['SITE']}&include_descendants=true`;
    await client.api.database.rows(
      `insert into location_versions (org_id, location_id, since, external_key, name, parent_id, is_deleted)
       select org_id, location_id, '2021-05-03T00:00:00Z', external_key, name, null, false
       from location_versions where location_id = $1 limit 1`,
      [ids['DOCK']],
    );
    await client.api.database.rows(
      `update location_versions set since = '2021-01-01T00:00:00Z' where location_id = $1 and parent_id is not null`,
      [ids['DOCK']],
    );
    expect(await sweeps(site)).to.deep.equal(['SECOND', 'FIRST']);
  });

  it('sorts by its end or by location, and pages without a gap', async () => {
    expect(await sweeps(`${MAY}&sort=location_external_key,-ended_at`)).to.deep.equal([
      'THIRD',
      'FIRST',
      'SECOND',
    ]);
    const pages = [];
    for (const offset of [0, 1, 2, 3]) {
      const { body } = await client.get(`${REPORT}?${MAY}&limit=1&offset=${offset}`);
      expect(body).to.include({ limit: 1, offset, total_count: 3 });
      pages.push(...(body?.data ?? []).map((row: { sweep_id: string }) => row.sweep_id));
    }
    expect(pages).to.deep.equal(await sweeps());
  });

  it('wants a window of the past, and each filter in one form', async () => {
    const { body } = await client.get(REPORT);
    expect(body?.error?.fields?.map(({ field, code }) => [field, code])).to.deep.equal([
      ['from', 'required'],
      ['to', 'required'],
    ]);
    expectFields(await client.get(`${REPORT}?from=2021-05-01&to=2021-05-31T00:00:00Z`), [
      { field: 'from', code: 'invalid_value', message: /^Invalid 'from' timestamp; expected RFC 3339/ },
    ]);
    expectFields(await client.get(`${REPORT}?from=2021-05-01T00:00:00Z&to=2999-01-01T00:00:00Z`), [
      { field: 'to', code: 'invalid_value', message: 'to must not be later than now' },
    ]);
    expectFields(await client.get(`${REPORT}?${MAY}&location_id=1&location_external_key=A`), [
      { field: 'location_id', code: 'ambiguous_fields' },
      { field: 'location_external_key', code: 'ambiguous_fields' },
    ]);
  });

  async function handheldId(): Promise<number | undefined> {
    const [row] = await client.api.database.rows<{ id: number }>(
      'select id from handhelds where org_id = $1',
      [client.api.orgId],
    );
    return row?.id;
  }
});
