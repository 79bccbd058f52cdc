import { expect } from 'chai';
import type { OrganizationDatabase } from '../../db/timescale/connections/organization-door.ts';
import { lockLiveAsset } from '../../domain/master-data/assets/queries.ts';
import { findLiveById, type Keyed } from '../../domain/master-data/by-id-or-key.ts';
import { readStoredRows } from '../../domain/master-data/imports/stored-rows.ts';
import { lookUpLocation } from '../../domain/master-data/locations/queries.ts';
import { loadDatedTree } from '../../domain/presence/dated-tree.ts';
import { useDatabase } from '../support/database.ts';
import { emptyStatistics } from '../support/empty-statistics.ts';
import { MeasuredLists } from '../support/measured-lists.ts';

const ROWS = 20_000;

describe('looking up one of many rows', () => {
  const database = useDatabase();
  let orgId: number;
  const ids = { asset: 0, location: 0 };

  before(async () => {
    for (const table of ['assets', 'locations', 'location_versions', 'tags', 'positions']) {
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
    await database.rows('update locations set parent_id = $1 where id <> $1', [ids.location]);
    await database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       select asset.org_id, asset.id, location.id, now(), now()
       from assets asset join locations location using (org_id, external_key)`,
    );
  });

  const PAGE = 20;
  const exported = (db: OrganizationDatabase, resource: Keyed) =>
    Array.fromAsync(
      readStoredRows(
        db,
        resource,
        Array.from({ length: PAGE }, (_, index) => ids[resource] + index),
      ),
    );
  const LOOK_UPS: [string, (db: OrganizationDatabase) => Promise<unknown>, number?][] = [
    ['an asset that has to be there', (db) => findLiveById(db, 'asset', ids.asset)],
    ['an asset to change', (db) => lockLiveAsset(db, ids.asset)],
    ['a location by id', (db) => lookUpLocation(db, ids.location)],
    ['a page of an export of assets', (db) => exported(db, 'asset'), PAGE],
    ['a page of an export of locations', (db) => exported(db, 'location'), PAGE],
    ['the tree above a location', (db) => loadDatedTree(db, orgId, [ids.location + 1]), 2],
  ];

  const STATISTICS = {
    'without statistics': async () => {},
    'in tables that statistics call empty': () => emptyStatistics(database),
    'with statistics': () => database.rows('analyze'),
    'in tables analyzed and then emptied, without tags': async () => {
      await database.rows('truncate tags cascade');
      await emptyStatistics(database);
    },
  };
  for (const [when, change] of Object.entries(STATISTICS)) {
    it(`reads a few rows and pages ${when}`, async () => {
      await change();
      const lists = await MeasuredLists.connect(database.url, orgId);
      const excess: unknown[] = [];
      try {
        for (const [name, lookUp, looked = 1] of LOOK_UPS) {
          await lists.measure(lookUp);
          const { result, rows, pages } = await lists.measure(lookUp);
          expect(result).to.not.equal(null);
          if (rows > 50 * looked || pages > 60 * looked) {
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
