import { expect } from 'chai';
import { useApi } from '../support/api.ts';

describe('the position of an asset on a plan', () => {
  const api = useApi();
  let assetId = 0;
  let hall = 0;

  before(async () => {
    const make = async (resource: string, key: string) =>
      (
        await api.call({
          method: 'POST',
          path: `/api/v1/${resource}`,
          json: { name: key, external_key: key },
        })
      ).body?.data;
    const asset = await make('assets', 'CART');
    expect(asset).to.have.property('position', null);
    assetId = asset.id;
    hall = (await make('locations', 'HALL')).id;
    await api.database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen, position_plan_location_id, position_x,
         position_y, position_radius, position_observed_at)
       values ($1, $2, $3, '2026-05-01T10:00:00Z', '2026-05-01T10:07:00Z', $3, 7.126, 3.5, 2.4, '2026-05-01T10:06:00.123456Z')`,
      [api.orgId, assetId, hall],
    );
  });

  const everywhere = async () => [
    (await api.call({ path: `/api/v1/assets/${assetId}` })).body?.data,
    (await api.call({ path: '/api/v1/assets' })).body?.data[0],
    (await api.call({ path: '/api/v1/assets?external_key=CART' })).body?.data[0],
    (await api.call({ path: '/api/v1/assets?q=cart' })).body?.data[0],
    (await api.call({ path: '/api/v1/reports/asset-locations' })).body?.data[0],
    (await api.call({ path: `/api/v1/reports/asset-locations?asset_id=${assetId}` })).body?.data[0],
    (await api.call({ path: '/api/v1/reports/asset-locations?sort=asset_external_key' })).body?.data[0],
  ];

  it('is in metres with a radius, in the asset, in lists and in the report', async () => {
    for (const row of await everywhere()) {
      expect(row.position).to.deep.equal({
        plan_location_id: hall,
        x: 7.13,
        y: 3.5,
        radius_m: 2.4,
        observed_at: '2026-05-01T10:06:00.123Z',
      });
    }
  });

  it('may be sent back as it is, and not be changed', async () => {
    const { body } = await api.call({ path: `/api/v1/assets/${assetId}` });
    const patch = (json: object) => api.call({ method: 'PATCH', path: `/api/v1/assets/${assetId}`, json });
    expect(await patch(body?.data)).to.have.property('status', 200);
    for (const position of [null, 5, { ...body?.data.position, x: 8 }, { ...body?.data.position, z: 1 }]) {
      const { body: refused } = await patch({ position });
      expect(refused?.error?.fields).to.have.lengthOf(1);
      expect(refused?.error?.fields?.[0]).to.include({ field: 'position', code: 'read_only' });
    }
  });

  it('is null once the asset is somewhere else without one', async () => {
    await api.database.rows(`update positions set since = '2026-05-01T10:06:30Z' where asset_id = $1`, [
      assetId,
    ]);
    for (const row of await everywhere()) {
      expect(row.position).to.equal(null);
    }
  });
});
