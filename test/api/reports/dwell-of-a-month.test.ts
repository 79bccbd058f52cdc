import { expect } from 'chai';
import { type DwellFilters, readDwell } from '../../../domain/reports/dwell/read-dwell.ts';
import { useDatabase } from '../../support/database.ts';
import { MeasuredLists } from '../../support/measured-lists.ts';
import { Site } from '../../support/site.ts';

const ASSETS = 50;
/** Of each asset, a transition every 18 hours, for six years. */
const TRANSITIONS = 3_000;
const ROWS = ASSETS * TRANSITIONS;

describe('the dwell of a month', () => {
  const database = useDatabase();
  let lists: MeasuredLists;
  let assets: { id: number }[];

  before(async () => {
    const site = await Site.create(database);
    const [one, other] = [await site.location('ONE'), await site.location('OTHER')];
    assets = await database.rows<{ id: number }>(
      `insert into assets (org_id, external_key, name)
       select $1, 'ASSET-' || n, 'Any' from generate_series(1, $2::integer) n returning id`,
      [site.orgId, ASSETS],
    );
    await database.rows(
      `insert into location_transitions (org_id, asset_id, observed_at, location_id)
       select $1, id, timestamptz '2020-01-01Z' + n * interval '18 hours', case n % 2 when 0 then $3::integer else $4 end
       from generate_series(1, $2::integer) n cross join assets where org_id = $1`,
      [site.orgId, TRANSITIONS, one, other],
    );
    await database.rows('vacuum analyze assets, location_transitions');
    lists = await MeasuredLists.connect(database.url, site.orgId);
    database.beforeDrop(() => lists.end());
  });

  const dwell = (filters: Partial<DwellFilters> = {}) =>
    lists.measure((db) =>
      readDwell(db, { from: Date.UTC(2020, 11, 1) * 1_000, to: Date.UTC(2020, 11, 31) * 1_000 }, null, {
        ...{ asset_id: undefined, asset_external_key: undefined },
        ...{ location_id: undefined, location_external_key: undefined, include_descendants: false },
        ...{ group_by: 'location', time_zone: 'UTC', include_deleted: false },
        ...{ sort: [], limit: 50, offset: 0 },
        ...filters,
      }),
    );

  it(`reads few of the ${ROWS} transitions before it and after it`, async () => {
    const { result, rows } = await dwell();
    expect(result.rows.map(({ assets: each }) => each)).to.deep.equal([ASSETS, ASSETS]);
    expect(rows)
      .to.be.above(ASSETS * 40)
      .and.below(ROWS / 4);
  });

  it('reads few of those of other assets', async () => {
    const { result, rows } = await dwell({ asset_id: [assets[7]?.id ?? 0] });
    expect(result.rows.map(({ assets: each }) => each)).to.deep.equal([1, 1]);
    expect(rows).to.be.above(40).and.below(1_000);
  });
});
