import { expect } from 'chai';
import {
  type OrganizationDatabase,
  openOrganizationDoor,
} from '../../../db/timescale/connections/organization-door.ts';
import { importFile } from '../../../domain/master-data/imports/import-file.ts';
import { renameLocation } from '../../../domain/master-data/locations/change.ts';
import { createLocation } from '../../../domain/master-data/locations/create.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

describe('what is published over MQTT and has another name now', () => {
  const database = useDatabase();
  let published: Site;
  let other: Site;
  let db: OrganizationDatabase;
  before(async () => {
    const door = openOrganizationDoor(database.url, { max: 2 });
    database.beforeDrop(() => door.end());
    published = await Site.create(database, 'Published');
    other = await Site.create(database, 'Other');
    await database.rows(`insert into mqtt_feeds (org_id, target, position) values ($1, 'broker', 0)`, [
      published.orgId,
    ]);
    db = door.of(published.orgId);
  });
  afterEach(() => database.rows('delete from mqtt_outdated'));

  const marks = () =>
    database.rows<{ asset_id: number; location_id: number }>(
      `select asset_id, location_id from mqtt_outdated where org_id = $1 order by asset_id, location_id`,
      [published.orgId],
    );
  const importing = (resource: 'asset' | 'location', csv: string) =>
    importFile(
      db,
      TEST_ACTOR,
      resource,
      async function* () {
        yield Buffer.from(csv);
      },
      { isDryRun: false },
    );

  for (const table of ['assets', 'locations']) {
    it(`is marked once a statement, however many ${table} that changes`, async () => {
      const { orgId } = published;
      await database.rows(
        `insert into ${table} (org_id, external_key, name) select $1, 'MANY-' || n, 'x' from generate_series(1, 500) n`,
        [orgId],
      );
      const [explained] = await database.rows<{ 'QUERY PLAN': string }>(
        `explain (analyze, format json)
         update ${table} set name = name || '!' where org_id = ${orgId} and external_key like 'MANY-%'`,
      );
      const [{ Triggers: triggers }] = JSON.parse(explained?.['QUERY PLAN'] ?? '') as [
        { Triggers: Trigger[] },
      ];
      expect(triggers.find((each) => each['Trigger Name'] === `${table}_outdated`)?.Calls).to.equal(1);
      expect(await marks()).to.have.lengthOf(500);
    });
  }

  it('is what a statement renames, moves or deletes, and nothing else that it writes', async () => {
    const hall = await published.location('HALL');
    const [renamed, moved, same] = [
      await published.location('A'),
      await published.location('B'),
      await published.location('C'),
    ];
    await database.rows(
      `update locations set description = 'new', name = case id when $2 then 'A 2' else name end,
         parent_id = case id when $3 then $4::integer end
       where org_id = $1 and id in ($2, $3, $5)`,
      [published.orgId, renamed, moved, hall, same],
    );
    expect(await marks()).to.deep.equal([
      { asset_id: 0, location_id: renamed },
      { asset_id: 0, location_id: moved },
    ]);
    await database.rows('delete from mqtt_outdated');
    const [key, deleted, untouched] = [
      await published.asset('KEY'),
      await published.asset('DELETED'),
      await published.asset('UNTOUCHED'),
    ];
    await database.rows(
      `update assets set description = 'new', external_key = case id when $1 then 'KEY-2' else external_key end,
         deleted_at = case id when $2 then now() end
       where id in ($1, $2, $3)`,
      [key, deleted, untouched],
    );
    expect(await marks()).to.deep.equal([
      { asset_id: key, location_id: 0 },
      { asset_id: deleted, location_id: 0 },
    ]);
  });

  it('is marked only for organizations that are published, also where a statement changes several', async () => {
    const own = await published.asset('SHARED');
    await other.asset('SHARED');
    await database.rows(`update assets set name = 'Renamed' where external_key = 'SHARED'`);
    expect(await database.rows('select org_id, asset_id from mqtt_outdated')).to.deep.equal([
      { org_id: published.orgId, asset_id: own },
    ]);
  });

  it('is marked by whoever may change it: by a key of the API, and by an import', async () => {
    const { id } = await createLocation(db, TEST_ACTOR, { external_key: 'GATE', name: 'Gate' });
    await renameLocation(db, TEST_ACTOR, id, 'GATE-1');
    expect(await marks()).to.deep.equal([{ asset_id: 0, location_id: id }]);
    await database.rows('delete from mqtt_outdated');
    await importing(
      'location',
      'external_key,name,parent_external_key\nNEW-BIN,Bin,NEW-RACK\nGATE-1,Gate one,NEW-RACK\nNEW-RACK,Rack,\n',
    );
    const outdated = await marks();
    expect(outdated).to.deep.include({ asset_id: 0, location_id: id });
    expect(outdated.filter(({ location_id: location }) => location <= 0)).to.deep.equal([]);
    await database.rows('delete from mqtt_outdated');
    await importing('asset', 'external_key,name\nNEW-ASSET,New\n');
    expect(await marks()).to.deep.equal([]);
  });

  it('has the mark of the transaction that changed it last', async () => {
    const id = await published.asset('TWICE');
    const markOf = async () =>
      (
        await database.rows<{ mark: string }>('select mark::text from mqtt_outdated where asset_id = $1', [
          id,
        ])
      )[0]?.mark;
    await database.rows(`update assets set name = 'one' where id = $1`, [id]);
    const first = await markOf();
    await database.rows(`update assets set name = 'two' where id = $1`, [id]);
    expect(Number(await markOf())).to.be.above(Number(first));
  });
});

interface Trigger {
  'Trigger Name': string;
  Calls: number;
}
