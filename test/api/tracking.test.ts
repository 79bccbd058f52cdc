import { expect } from 'chai';
import { expectIssues, expectProblem, useApi } from '../support/api.ts';

describe('what was tracked', () => {
  const api = useApi();
  const assets: Record<string, number> = {};
  const locations: Record<string, number> = {};
  const make = async (resource: string, external_key: string) =>
    (
      await api.call({
        method: 'POST',
        path: `/api/v1/${resource}`,
        json: { name: external_key, external_key },
      })
    ).body?.data.id;
  const transition = (asset: string, at: string, location: string, duration: number | null) =>
    api.database.rows('insert into location_transitions values ($1, $2, $3, $4, $5)', [
      api.orgId,
      assets[asset],
      at,
      locations[location],
      duration,
    ]);
  const position = (asset: string, location: string | null, lastSeen: string | null) =>
    api.database.rows('insert into positions values ($1, $2, $3, $4, $4)', [
      api.orgId,
      assets[asset],
      location === null ? null : locations[location],
      lastSeen,
    ]);

  before(async () => {
    for (const key of ['PUMP', 'DRILL', 'SAW', 'GONE', 'NEW']) {
      assets[key] = await make('assets', key);
    }
    for (const key of ['A', 'B', 'OLD']) {
      locations[key] = await make('locations', key);
    }
    await transition('PUMP', '2026-05-01T10:00:00Z', 'A', null);
    await transition('PUMP', '2026-05-01T10:10:00.900001Z', 'B', 600);
    await transition('PUMP', '2026-05-01T11:00:00Z', 'OLD', 2999);
    await position('PUMP', 'OLD', '2026-05-01T11:30:00Z');
    await position('DRILL', 'A', '2026-05-02T00:00:00.999999Z');
    await position('SAW', 'B', '2026-05-01T00:00:00Z');
    await position('GONE', 'A', '2026-04-01T00:00:00Z');
    await position('NEW', null, null);
    await api.database.rows(
      `update locations set deleted_at = now(), external_key = 'RENAMED' where id = $1`,
      [locations['OLD']],
    );
    await api.database.rows('update assets set deleted_at = now() where id = $1', [assets['GONE']]);
  });

  describe('GET /assets/{asset_id}/history', () => {
    const history = (query = '', asset = 'PUMP') =>
      api.call({ path: `/api/v1/assets/${assets[asset]}/history?${query}` });

    it('shows transitions, newest first, with the keys locations have now, deleted ones too', async () => {
      const { body } = await history();
      expect(body).to.deep.equal({
        data: [
          row('2026-05-01T11:00:00.000Z', 'OLD', 'RENAMED', 2999),
          row('2026-05-01T10:10:00.900Z', 'B', 'B', 600),
          row('2026-05-01T10:00:00.000Z', 'A', 'A', null),
        ],
        limit: 50,
        offset: 0,
        total_count: 3,
      });
    });

    it('keeps the durations of the whole history when it shows a part of it', async () => {
      const { body } = await history('from=2026-05-01T12:05:00%2B02:00&sort=event_observed_at&limit=1');
      expect(body?.data).to.deep.equal([row('2026-05-01T10:10:00.900Z', 'B', 'B', 600)]);
      expect(body?.total_count).to.equal(2);
    });

    it('includes both bounds, also when they are copied from an answer', async () => {
      const bounds = 'from=2026-05-01T10:00:00Z&to=2026-05-01T10:10:00.900Z';
      expect((await history(bounds)).body?.total_count).to.equal(2);
      expect((await history('to=2026-05-01T10:10:00.900000Z')).body?.total_count).to.equal(1);
      expect((await history('from=2026-05-02T00:00:00Z&to=2026-05-01T00:00:00Z')).body?.total_count).to.equal(
        0,
      );
      expect((await history('from=1970-01-01T00:00:00Z')).body?.total_count).to.equal(3);
    });

    it('is empty for an asset that was never scanned, and 404 for a deleted one', async () => {
      expect((await history('', 'SAW')).body).to.deep.equal({
        data: [],
        limit: 50,
        offset: 0,
        total_count: 0,
      });
      expectProblem(await history('', 'GONE'), 'not_found', 'Asset not found');
    });

    it('refuses bounds that are no timestamps, and other sort fields', async () => {
      const answer = await history('from=2026-05-01&to=&sort=id');
      expectIssues(answer, [
        ['from', 'invalid_value'],
        ['to', 'invalid_value'],
        ['sort', 'invalid_value'],
      ]);
      expect(answer.body?.error?.fields?.[0]?.message).to.match(
        /^Invalid 'from' timestamp; expected RFC 3339, e\.g\. /,
      );
    });

    it('needs tracking:read and an asset of the organization', async () => {
      const path = `/api/v1/assets/${assets['PUMP']}/history`;
      const { key } = await api.organization('Other');
      expectProblem(await api.call({ path, key }), 'not_found');
      expectProblem(await api.call({ path, key: await api.keyWith(['assets:read']) }), 'forbidden');
    });

    function row(event_observed_at: string, location: string, key: string, duration_seconds: number | null) {
      return {
        event_observed_at,
        location_id: locations[location],
        location_external_key: key,
        duration_seconds,
        // PUMP was seen at B a microsecond later than is shown.
        row: `${Date.parse(event_observed_at)}00${key === 'B' ? 1 : 0}`,
      };
    }
  });

  describe('GET /reports/asset-locations', () => {
    const report = (query = '') => api.call({ path: `/api/v1/reports/asset-locations?${query}` });
    const keysOf = async (query: string) =>
      (await report(query)).body?.data.map((row: { asset_external_key: string }) => row.asset_external_key);

    it('shows every scanned asset once, the one seen last first; a deleted location is no place', async () => {
      const { body } = await report();
      expect(body?.total_count).to.equal(3);
      expect(body?.data).to.deep.equal([
        row('DRILL', locations['A'], 'A', '2026-05-02T00:00:00.999Z'),
        row('PUMP', null, null, '2026-05-01T11:30:00.000Z'),
        row('SAW', locations['B'], 'B', '2026-05-01T00:00:00.000Z'),
      ]);
    });

    it('adds deleted assets on request', async () => {
      const { body } = await report('include_deleted=true&asset_external_key=GONE');
      expect(body?.data[0].asset_deleted_at).to.be.a('string');
      expect(await keysOf('include_deleted=true')).to.deep.equal(['DRILL', 'PUMP', 'SAW', 'GONE']);
    });

    it('filters by assets and by locations, and by both', async () => {
      expect(await keysOf(`asset_id=${assets['SAW']}&asset_id=${assets['PUMP']}`)).to.deep.equal([
        'PUMP',
        'SAW',
      ]);
      expect(await keysOf('asset_external_key=DRILL&asset_external_key=SAW')).to.deep.equal(['DRILL', 'SAW']);
      expect(await keysOf(`location_id=${locations['A']}`)).to.deep.equal(['DRILL']);
      expect(await keysOf('location_external_key=B&location_external_key=A')).to.deep.equal(['DRILL', 'SAW']);
      expect(await keysOf('location_external_key=B&asset_external_key=DRILL')).to.deep.equal([]);
      expect(await keysOf(`location_id=${locations['OLD']}`)).to.deep.equal(['PUMP']);
    });

    it('sorts, with assets that are nowhere last in both directions', async () => {
      expect(await keysOf('sort=location_external_key')).to.deep.equal(['DRILL', 'SAW', 'PUMP']);
      expect(await keysOf('sort=-location_external_key')).to.deep.equal(['SAW', 'DRILL', 'PUMP']);
      expect(await keysOf('sort=asset_external_key&limit=2&offset=1')).to.deep.equal(['PUMP', 'SAW']);
    });

    it('refuses both forms of one filter, and the search of other lists', async () => {
      expectIssues(
        await report('asset_id=1&asset_external_key=A&location_id=1&location_external_key=B&q=x'),
        [
          ['asset_id', 'ambiguous_fields'],
          ['asset_external_key', 'ambiguous_fields'],
          ['location_id', 'ambiguous_fields'],
          ['location_external_key', 'ambiguous_fields'],
          ['q', 'unknown_field'],
        ],
      );
    });

    it('shows an organization its own assets only', async () => {
      const { key } = await api.organization('Other');
      const { body } = await api.call({ path: '/api/v1/reports/asset-locations', key });
      expect(body?.data).to.deep.equal([]);
    });

    function row(
      key: string,
      location_id: unknown,
      location_external_key: string | null,
      asset_last_seen: string,
    ) {
      return {
        asset_id: assets[key],
        asset_external_key: key,
        location_id,
        location_external_key,
        asset_deleted_at: null,
        asset_last_seen,
        position: null,
      };
    }
  });

  it('shows where an asset is on the asset itself', async () => {
    const { body } = await api.call({ path: `/api/v1/assets/${assets['DRILL']}` });
    expect(body?.data).to.include({ location_id: locations['A'], location_external_key: 'A' });
  });
});
