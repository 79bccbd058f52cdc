import { expect } from 'chai';
import type { OrganizationDatabase } from '../../db/timescale/connections/organization-door.ts';
import { lockLiveAsset } from '../../domain/master-data/assets/queries.ts';
import { findLiveById } from '../../domain/master-data/by-id-or-key.ts';
import { lookUpLocation } from '../../domain/master-data/locations/queries.ts';
import { useDatabase } from '../support/database.ts';
import { emptyStatistics } from '../support/empty-statistics.ts';
import { MeasuredLists } from '../support/measured-lists.ts';

const ROWS = 20_000;

describe('looking up one of many rows', () => {
  const database = useDatabase();
  let orgId: number;
  const ids = { asset: 0, location: 0 };

  before(async () => {
    for (const table of ['assets', 'locations', 'tags', 'positions']) {
      await database.rows(`alter table ${table} set (autovacuum_enabled = false)`);
    }
    const [org] = await database.rows<{ id: number }>(
      `insert into organizations (name) values ('many') returning id`,
    );
    orgId = org?.id ?? 0;
    for (const [parent, table] of [
      ['asset', 'assets'],
      ['location', 'locations'],
    ] as const) {
      await database.rows(
        `insert into ${table} (org_id, external_key, name) select $1, 'KEY-' || n, 'One' from generate_series(1, $2::integer) n`,
        [orgId, ROWS],
      );
      await database.rows(
        `insert into tags (org_id, tag_type, value, tag_key, ${parent}_id)
         select org_id, 'rfid', '${parent}-' || id, '${parent}-' || id, id from ${table}`,
      );
      const [row] = await database.rows<{ id: number }>(
        `select id from ${table} where org_id = $1 and external_key = 'KEY-4711'`,
        [orgId],
      );
      ids[parent] = row?.id ?? 0;
    }
    await database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       select asset.org_id, asset.id, location.id, now(), now()
       from assets asset join locations location using (org_id, external_key)`,
    );
  });

  const LOOK_UPS: [string, (db: OrganizationDatabase) => Promise<unknown>][] = [
    ['an asset that has to be there', (db) => findLiveById(db, 'asset', ids.asset)],
    ['an asset to change', (db) => lockLiveAsset(db, ids.asset)],
    ['a location by id', (db) => lookUpLocation(db, ids.location)],
  ];

  const STATISTICS = {
    'without statistics': async () => {},
    'in tables that statistics call empty': () => emptyStatistics(database),
    'with statistics': () => database.rows('analyze'),
  };
  for (const [when, change] of Object.entries(STATISTICS)) {
    it(`reads a few rows and pages ${when}`, async () => {
      await change();
      const lists = await MeasuredLists.connect(database.url, orgId);
      const excess: unknown[] = [];
      try {
        for (const [name, lookUp] of LOOK_UPS) {
          await lists.measure(lookUp);
          const { result, rows, pages } = await lists.measure(lookUp);
          expect(result).to.not.equal(null);
          if (rows > 50 || pages > 60) {
            excess.push({ name, rows, pages });
          }
        }
      } finally {
        await lists.end();
      }
      expect(excess).to.deep.equal([]);
    });
  }
});
