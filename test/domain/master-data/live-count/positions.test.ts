import { expect } from 'chai';
import { useApi } from '../../../support/api.ts';
import { useClient } from '../../../support/contract-client.ts';

const REPORT = '/reports/asset-locations';

describe('the total of the report', () => {
  const api = useApi();
  const client = useClient(api);
  const { database } = api;
  let locationId: number;

  before(async () => {
    locationId = (await client.make('locations')).id;
  });
  beforeEach(async () => {
    await database.rows('delete from positions where org_id = $1', [client.api.orgId]);
  });

  /** Assets of their own, in effect or not. */
  const assets = async (count: number, validFrom = '2020-01-01'): Promise<number[]> => {
    const rows = await database.rows(
      `insert into assets (org_id, external_key, name, valid_from)
       select $1, gen_random_uuid()::text, 'Any', $3::timestamptz from generate_series(1, $2::integer) returning id`,
      [client.api.orgId, count, validFrom],
    );
    return (rows as { id: number }[]).map(({ id }) => id);
  };
  const scanned = (ids: readonly number[], seconds = 0) =>
    database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       select $1, id, $2, now(), now() + $4 * interval '1 second' + id * interval '1 millisecond'
       from unnest($3::integer[]) as asset (id)`,
      [client.api.orgId, locationId, ids, seconds],
    );
  /** The whole report, and what counting one by one says. */
  const expectTotals = async (expected: number, withNotInEffect = expected) => {
    for (const [query, total] of [
      ['', expected],
      ['&include_not_in_effect=true', withNotInEffect],
    ] as const) {
      const whole = await client.get(`${REPORT}?limit=1${query}`);
      const counted = await client.get(`${REPORT}?limit=1&location_id=${locationId}${query}`);
      expect(whole.body?.total_count, query).to.equal(total);
      expect(counted.body?.total_count, query).to.equal(total);
    }
  };

  it('is exact when assets are scanned first, deleted, brought back, and not in effect', async () => {
    const [first = 0, second = 0, ...others] = await assets(6);
    await scanned([first, second, ...others]);
    await scanned(await assets(3, '2099-01-01'));
    await expectTotals(6, 9);
    await client.remove(`/assets/${first}`);
    await expectTotals(5, 8);
    await database.rows('update assets set deleted_at = null where id = $1', [first]);
    await database.rows('update assets set deleted_at = now() where id = any($1)', [others]);
    await expectTotals(2, 5);
    await database.rows('delete from positions where asset_id = $1', [second]);
    await expectTotals(1, 4);
    await database.rows('select recount_live_rows()');
    await expectTotals(1, 4);
  });

  it('leaves out positions that no scan has filled', async () => {
    const [first = 0, second = 0] = await assets(2);
    await scanned([first]);
    await database.rows('insert into positions (org_id, asset_id) values ($1, $2)', [
      client.api.orgId,
      second,
    ]);
    await expectTotals(1);
  });

  it('is exact when an asset is deleted while it is scanned for the first time', async () => {
    const [id = 0] = await assets(1);
    const [scanning, deleting] = await Promise.all([database.pool.connect(), database.pool.connect()]);
    try {
      await scanning.query('begin');
      await scanning.query(
        'insert into positions (org_id, asset_id, location_id, since, last_seen) values ($1, $2, $3, now(), now())',
        [client.api.orgId, id, locationId],
      );
      const deleted = deleting.query('update assets set deleted_at = now() where id = $1', [id]);
      while (
        (
          (await database.rows(`select from pg_stat_activity where wait_event_type = 'Lock'
        and query like 'update assets%' and datname = current_database()`)) as object[]
        ).length === 0
      ) {
        // It will wait for the scan.
      }
      await scanning.query('commit');
      await deleted;
    } finally {
      scanning.release();
      deleting.release();
    }
    await expectTotals(0);
  });

  it('comes with the right page where most of those seen last are not in effect', async () => {
    const shown = await assets(5);
    await scanned(shown);
    await scanned(await assets(600, '2099-01-01'), 60);
    const answer = await client.get(`${REPORT}?limit=3&offset=1`);
    expect(answer.body?.total_count).to.equal(5);
    const rows = answer.body?.data as unknown as { asset_id: number }[];
    expect(rows.map((row) => row.asset_id)).to.deep.equal(shown.toReversed().slice(1, 4));
  });
});
