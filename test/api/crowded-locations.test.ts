import { expect } from 'chai';
import { hasLiveAssets } from '../../domain/master-data/locations/change.ts';
import { expectProblem, useApi } from '../support/api.ts';
import { emptyStatistics } from '../support/empty-statistics.ts';
import { MeasuredLists } from '../support/measured-lists.ts';
import { randomSets } from '../support/random-sets.ts';

const ASSETS = randomSets(100_000);

describe('deleting a location where very many assets are or were', () => {
  const api = useApi();
  const { database } = api;
  const locations = { ofDeleted: 0, ofLive: 0 };
  const crowded = async (key: string, areDeleted: boolean): Promise<number> => {
    const [row] = await database.rows<{ id: number }>(
      `insert into locations (org_id, external_key, name) values ($1, $2, 'Crowded') returning id`,
      [api.orgId, key],
    );
    await database.rows(
      `with made as (
         insert into assets (org_id, external_key, name, deleted_at)
         select $1, $2 || n, 'One', case when $5 then now() end from generate_series(1, $3::integer) n returning id
       )
       insert into positions (org_id, asset_id, location_id, since, last_seen, is_of_deleted)
       select $1, id, $4, now(), now(), $5 from made`,
      [api.orgId, key, ASSETS, row?.id, areDeleted],
    );
    return row?.id ?? 0;
  };

  before(async () => {
    for (const table of ['assets', 'positions']) {
      await database.rows(`alter table ${table} set (autovacuum_enabled = false)`);
    }
    locations.ofDeleted = await crowded('DELETED', true);
    locations.ofLive = await crowded('LIVE', false);
  });

  const STATISTICS = {
    'without statistics': async () => {},
    'in tables that statistics call empty': () => emptyStatistics(database),
    'with statistics': () => database.rows('analyze'),
  };
  for (const [when, change] of Object.entries(STATISTICS)) {
    it(`reads a few rows and pages ${when}`, async () => {
      await change();
      const lists = await MeasuredLists.connect(database.url, api.orgId);
      try {
        for (const [id, expected] of [
          [locations.ofDeleted, false],
          [locations.ofLive, true],
        ] as const) {
          await lists.measure((db) => hasLiveAssets(db, id));
          const { result, rows, pages } = await lists.measure((db) => hasLiveAssets(db, id));
          expect(result).to.equal(expected);
          expect(rows).to.be.at.most(5);
          expect(pages).to.be.at.most(10);
        }
      } finally {
        await lists.end();
      }
    });
  }

  it('is possible if all were deleted, and refused if one of them is back', async () => {
    const remove = () => api.call({ method: 'DELETE', path: `/api/v1/locations/${locations.ofDeleted}` });
    const [one] = await database.rows<{ id: number }>(
      `update assets set deleted_at = null where org_id = $1 and external_key = 'DELETED4711' returning id`,
      [api.orgId],
    );
    expectProblem(
      await remove(),
      'conflict',
      'location has assets placed at it; move or remove them before deleting (cascade is not supported)',
    );
    expect((await api.call({ method: 'DELETE', path: `/api/v1/assets/${one?.id}` })).status).to.equal(204);
    expect((await remove()).status).to.equal(204);
  });

  it('marks the position of an asset that is deleted while it is scanned for the first time', async () => {
    const [asset] = await database.rows<{ id: number }>(
      `insert into assets (org_id, external_key, name) values ($1, 'FIRST', 'First') returning id`,
      [api.orgId],
    );
    const deleting = await database.pool.connect();
    try {
      await deleting.query('begin');
      await deleting.query('update assets set deleted_at = now() where id = $1', [asset?.id]);
      const scanned = database.rows(
        'insert into positions (org_id, asset_id, location_id, since, last_seen) values ($1, $2, $3, now(), now())',
        [api.orgId, asset?.id, locations.ofLive],
      );
      while (
        (
          await database.rows(
            `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into positions%'
             and datname = current_database()`,
          )
        ).length === 0
      ) {}
      await deleting.query('commit');
      await scanned;
    } finally {
      deleting.release();
    }
    expect(
      await database.rows('select is_of_deleted from positions where asset_id = $1', [asset?.id]),
    ).to.deep.equal([{ is_of_deleted: true }]);
  });
});
