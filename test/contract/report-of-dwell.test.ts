import { expect } from 'chai';
import { expectFields, useClient } from '../support/contract-client.ts';

const REPORT = '/reports/dwell';
/** Ten hours. */
const MORNING = 'from=2021-05-04T00:00:00Z&to=2021-05-04T10:00:00Z';
const HOUR = 3_600;

interface Row {
  location_external_key: string | null;
  asset_external_key: string | null;
  day: string | null;
  seen: boolean;
  total_seconds: number;
  stays: number;
}

describe('the report of dwell', () => {
  const client = useClient();
  const ids: Record<string, number> = {};

  before(async () => {
    ids['SITE'] = (await client.make('locations', { external_key: 'SITE' })).id;
    for (const external_key of ['DOCK', 'YARD']) {
      ids[external_key] = (await client.make('locations', { external_key, parent_id: ids['SITE'] })).id;
    }
    for (const external_key of ['A', 'B', 'OLD', 'NEVER']) {
      ids[external_key] = (await client.make('assets', { external_key })).id;
    }
    for (const [asset, place, time] of [
      ['A', 'DOCK', '2021-05-03T12:00:00.000Z'],
      ['A', 'YARD', '2021-05-04T02:00:00.500Z'],
      ['A', 'DOCK', '2021-05-04T06:00:00.000Z'],
      ['B', 'YARD', '2021-05-04T04:00:00.000Z'],
      ['B', 'DOCK', '2021-05-04T10:00:00.000Z'],
      ['OLD', 'DOCK', '2021-05-03T12:00:00.000Z'],
    ] as const) {
      await client.api.database.rows(
        `insert into location_transitions (org_id, asset_id, observed_at, location_id) values ($1, $2, $3, $4)`,
        [client.api.orgId, ids[asset], time, ids[place]],
      );
    }
    await client.api.database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       select distinct on (asset_id) org_id, asset_id, location_id, observed_at, observed_at
       from location_transitions where org_id = $1 order by asset_id, observed_at desc`,
      [client.api.orgId],
    );
    await client.remove(`/assets/${ids['OLD']}`);
    await client.api.database.rows(`update assets set deleted_at = '2021-05-04T01:00:00Z' where id = $1`, [
      ids['OLD'],
    ]);
  });

  const rows = async (query = MORNING): Promise<Row[]> => {
    const { status, text, body } = await client.get(`${REPORT}?${query}`);
    expect(status, text).to.equal(200);
    expect(body?.total_count).to.equal(body?.data.length);
    return body?.data ?? [];
  };
  const totals = async (query: string, name: 'location_external_key' | 'asset_external_key' | 'day') =>
    (await rows(query)).map((row) => [row.seen ? row[name] : 'unseen', row.total_seconds]);

  it('has a row for each location and one for what was not yet seen, in order of their keys', async () => {
    expect(await rows()).to.deep.equal([
      {
        ...{ location_id: ids['DOCK'], location_external_key: 'DOCK' },
        ...{ asset_id: null, asset_external_key: null, day: null, seen: true },
        total_seconds: 2 * HOUR + 0.5 + 4 * HOUR + HOUR,
        mean_seconds: 8_400.167,
        median_seconds: 2 * HOUR + 0.5,
        p90_seconds: 12_960.1,
        max_seconds: 4 * HOUR,
        ...{ stays: 3, assets: 2 },
      },
      {
        ...{ location_id: ids['YARD'], location_external_key: 'YARD' },
        ...{ asset_id: null, asset_external_key: null, day: null, seen: true },
        total_seconds: 10 * HOUR - 0.5,
        mean_seconds: (10 * HOUR - 0.5) / 2,
        median_seconds: (10 * HOUR - 0.5) / 2,
        p90_seconds: 20_879.95,
        max_seconds: 6 * HOUR,
        ...{ stays: 2, assets: 2 },
      },
      {
        ...{ location_id: null, location_external_key: null },
        ...{ asset_id: null, asset_external_key: null, day: null, seen: false },
        total_seconds: 4 * HOUR + 10 * HOUR,
        mean_seconds: 7 * HOUR,
        median_seconds: 7 * HOUR,
        p90_seconds: 33_840,
        max_seconds: 10 * HOUR,
        ...{ stays: 2, assets: 2 },
      },
    ]);
  });

  it('adds up to the window times the assets, a deleted one until it was deleted', async () => {
    for (const group of ['location', 'asset', 'day']) {
      const all = await rows(`${MORNING}&group_by=${group}`);
      expect(
        all.reduce((sum, row) => sum + row.total_seconds, 0),
        group,
      ).to.equal((3 * 10 + 1) * HOUR);
    }
  });

  it('sums up assets that were deleted by the end of the window, or names them', async () => {
    const byAsset = `${MORNING}&group_by=asset`;
    expect(await totals(byAsset, 'asset_external_key')).to.deep.equal([
      ['A', 10 * HOUR],
      ['B', 6 * HOUR],
      ['unseen', 14 * HOUR],
      [null, HOUR],
    ]);
    expect(await totals(`${byAsset}&include_deleted=true`, 'asset_external_key')).to.deep.equal([
      ['A', 10 * HOUR],
      ['B', 6 * HOUR],
      ['OLD', HOUR],
      ['unseen', 14 * HOUR],
    ]);
  });

  it('has a row for each day of a time zone', async () => {
    const byDay = `${MORNING}&group_by=day&asset_external_key=A`;
    expect(await totals(byDay, 'day')).to.deep.equal([['2021-05-04', 10 * HOUR]]);
    expect(await totals(`${byDay}&time_zone=America/New_York`, 'day')).to.deep.equal([
      ['2021-05-03', 4 * HOUR],
      ['2021-05-04', 6 * HOUR],
    ]);
  });

  it('filters by location, also with those below it, and by asset', async () => {
    for (const [query, expected] of [
      ['location_external_key=DOCK', [['DOCK', 7 * HOUR + 0.5]]],
      [`location_id=${ids['SITE']}`, []],
      [
        `location_id=${ids['SITE']}&include_descendants=true`,
        [
          ['DOCK', 7 * HOUR + 0.5],
          ['YARD', 10 * HOUR - 0.5],
        ],
      ],
      [
        'asset_external_key=B',
        [
          ['YARD', 6 * HOUR],
          ['unseen', 4 * HOUR],
        ],
      ],
      [`asset_id=${ids['OLD']}&location_external_key=DOCK`, [['DOCK', HOUR]]],
      ['asset_external_key=NONE', []],
    ] as const) {
      expect(await totals(`${MORNING}&${query}`, 'location_external_key'), query).to.deep.equal(expected);
    }
  });

  it('has nothing of a window without any time in it, nor of stays that only touch one', async () => {
    expect(await rows('from=2021-05-04T10:00:00Z&to=2021-05-04T10:00:00Z')).to.deep.equal([]);
    const night = 'from=2021-05-04T06:00:00Z&to=2021-05-04T10:00:00Z&asset_external_key=A';
    expect(await totals(night, 'location_external_key')).to.deep.equal([['DOCK', 4 * HOUR]]);
  });

  it('sorts by every figure, and pages without a gap', async () => {
    const sorted = async (sort: string) =>
      (await rows(`${MORNING}&sort=${sort}`)).map((row) => row.location_external_key);
    expect(await sorted('-total_seconds')).to.deep.equal([null, 'YARD', 'DOCK']);
    expect(await sorted('-stays,-location_external_key')).to.deep.equal(['DOCK', 'YARD', null]);
    for (const sort of ['mean_seconds', 'median_seconds', 'p90_seconds', 'max_seconds', 'assets']) {
      expect(await sorted(sort), sort).to.have.length(3);
    }
    const pages: Row[] = [];
    for (const offset of [0, 1, 2, 3]) {
      const { body } = await client.get(`${REPORT}?${MORNING}&limit=1&offset=${offset}`);
      expect(body).to.include({ limit: 1, offset, total_count: 3 });
      pages.push(...(body?.data ?? []));
    }
    expect(pages).to.deep.equal(await rows());
  });

  it('wants a window of the past, a group that there is, and a time zone, of days in bounds', async () => {
    for (const [query, field, code] of [
      ['from=2021-05-01T00:00:00Z', 'to', 'required'],
      ['from=2021-05-01T00:00:00Z&to=2999-01-01T00:00:00Z', 'to', 'invalid_value'],
      [`${MORNING}&group_by=reader`, 'group_by', 'invalid_value'],
      [`${MORNING}&group_by=day&time_zone=Mars/Base`, 'time_zone', 'invalid_value'],
      [`${MORNING}&time_zone=UTC&time_zone=UTC`, 'time_zone', 'invalid_value'],
      ['from=2018-01-01T00:00:00Z&to=2021-05-01T00:00:00Z&group_by=day', 'from', 'invalid_value'],
    ] as const) {
      expectFields(await client.get(`${REPORT}?${query}`), [{ field, code }]);
    }
    expect(await rows('from=2018-01-01T00:00:00Z&to=2021-05-01T00:00:00Z')).to.have.length(1);
  });
});
