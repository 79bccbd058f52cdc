import { expect } from 'chai';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import {
  type OrganizationDatabase,
  openOrganizationDoor,
} from '../../../db/timescale/connections/organization-door.ts';
import { sql } from '../../../db/timescale/queries/sql.ts';
import { importFile } from '../../../domain/master-data/imports/import-file.ts';
import { deleteLocation, renameLocation } from '../../../domain/master-data/locations/change.ts';
import { createLocation } from '../../../domain/master-data/locations/create.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

interface Version {
  external_key: string;
  name: string;
  parent_id: number | null;
  is_deleted: boolean;
}

describe('what a location was called, and where it was in the tree,', () => {
  const database = useDatabase();
  let db: OrganizationDatabase;
  before(async () => {
    const door = openOrganizationDoor(database.url, { max: 2 });
    database.beforeDrop(() => door.end());
    db = door.of((await Site.create(database)).orgId);
  });

  const create = async (external_key: string, name: string, parent_id: number | null = null) =>
    (await createLocation(db, TEST_ACTOR, { external_key, name, parent_id })).id;
  const versions = async (id: number) =>
    (
      await database.rows<Version>(
        `select external_key, name, parent_id, is_deleted from location_versions
         where org_id = $1 and location_id = $2 order by since`,
        [db.orgId, id],
      )
    ).map(({ external_key, name, parent_id, is_deleted }) => [external_key, name, parent_id, is_deleted]);
  const importing = (csv: string) =>
    importFile(
      db,
      TEST_ACTOR,
      'location',
      async function* () {
        yield Buffer.from(csv);
      },
      { isDryRun: false },
    );
  const idOf = async (key: string) => {
    const [row] = await database.rows<{ id: number }>(
      'select id from locations where org_id = $1 and external_key = $2 and deleted_at is null',
      [db.orgId, key],
    );
    return row?.id ?? 0;
  };

  it('is kept with its names in EPCIS', async () => {
    const gate = await create('GATE', 'Gate');
    await database.rows(`update locations set gln = '4012345000115', biz_step = 'arriving' where id = $1`, [
      gate,
    ]);
    await database.rows(`update locations set disposition = 'in_transit', updated_at = now() where id = $1`, [
      gate,
    ]);
    await database.rows(`update locations set description = 'South' where id = $1`, [gate]);
    expect(
      await database.rows(
        `select gln, biz_step, disposition from location_versions where location_id = $1 order by since`,
        [gate],
      ),
    ).to.deep.equal([
      { gln: null, biz_step: null, disposition: null },
      { gln: '4012345000115', biz_step: 'arriving', disposition: null },
      { gln: '4012345000115', biz_step: 'arriving', disposition: 'in_transit' },
    ]);
  });

  it('is kept from its creation on, change by change, to its deletion', async () => {
    const hall = await create('HALL', 'Hall');
    const dock = await create('DOCK', 'Dock');
    await database.rows(`update locations set name = 'Dock 1', parent_id = $2 where id = $1`, [dock, hall]);
    await renameLocation(db, TEST_ACTOR, dock, 'DOCK-1');
    await deleteLocation(db, TEST_ACTOR, dock);
    expect(await versions(dock)).to.deep.equal([
      ['DOCK', 'Dock', null, false],
      ['DOCK', 'Dock 1', hall, false],
      ['DOCK-1', 'Dock 1', hall, false],
      ['DOCK-1', 'Dock 1', hall, true],
    ]);
    expect(await versions(hall)).to.have.lengthOf(1);
    expect(
      await database.rows(
        `select min(since) = created_at as is_first, max(since) between deleted_at and clock_timestamp() as is_last
         from location_versions join locations using (org_id) where id = $1 and location_id = $1 group by locations.org_id, locations.id`,
        [dock],
      ),
    ).to.deep.equal([{ is_first: true, is_last: true }]);
  });

  it('has no version for what neither renames nor moves it', async () => {
    const id = await create('SAME', 'Same');
    await database.rows(
      `update locations set description = 'new', is_active = false, updated_at = now(), name = name where id = $1`,
      [id],
    );
    expect(await versions(id)).to.deep.equal([['SAME', 'Same', null, false]]);
  });

  it('is one version for each row of an import, whatever the order of the rows', async () => {
    await importing('external_key,name,parent_external_key\nBIN,Bin,RACK\nRACK,Rack,ROOM\nROOM,Room,\n');
    const [bin, rack, room] = [await idOf('BIN'), await idOf('RACK'), await idOf('ROOM')];
    expect(await versions(bin)).to.deep.equal([['BIN', 'Bin', rack, false]]);
    expect(await versions(rack)).to.deep.equal([['RACK', 'Rack', room, false]]);
    await importing('external_key,name,parent_external_key\nBIN,Bin 2,ROOM\nRACK,,\nROOM,Room,\n');
    expect((await versions(bin)).at(-1)).to.deep.equal(['BIN', 'Bin 2', room, false]);
    expect(await versions(rack)).to.have.lengthOf(1);
    expect(
      await database.rows('select from location_versions where org_id = $1 and location_id <= 0', [db.orgId]),
    ).to.deep.equal([]);
  });

  it('is that of the row at every time, however often it changes in a transaction', async () => {
    const ids = await Promise.all(['X-1', 'X-2', 'X-3'].map((key) => create(key, 'at first')));
    const client = await database.pool.connect();
    for (let round = 0; round < 20; round++) {
      await client.query('begin');
      for (const id of ids) {
        await client.query('update locations set name = $2 where id = $1', [id, `${round} of ${id}`]);
      }
      await client.query(`update locations set name = name || '!' where id = any($1)`, [ids]);
      await client.query('commit');
    }
    client.release();
    for (const id of ids) {
      const names = (await versions(id)).map(([, name]) => name);
      const expected = Array.from({ length: 20 }, (_, round) => [`${round} of ${id}`, `${round} of ${id}!`]);
      expect(names).to.deep.equal(['at first', ...expected.flat()]);
    }
  });

  it('is of one organization only, and written by nobody but its triggers', async () => {
    const others = await Site.create(database, 'Others');
    await others.location('THEIRS');
    const seen = await db.any(sql.unsafe`select distinct org_id from location_versions`);
    expect(seen).to.deep.equal([{ org_id: db.orgId }]);
    const forged = db.exec(sql.unsafe`update location_versions set name = 'forged'`);
    expect(await forged.catch((error) => error.message)).to.include('permission denied');
    expect(
      await databaseOn(database.pool).any(sql.unsafe`select from location_versions where name = 'forged'`),
    ).to.deep.equal([]);
  });
});
