import { expect } from 'chai';
import { type Database, databaseOn } from '../../../../db/timescale/connections/database.ts';
import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import { deleteOrganization } from '../../../../domain/administration/organizations/organizations.ts';
import { setAntenna } from '../../../../domain/administration/readers/set-antenna.ts';
import { setReader } from '../../../../domain/administration/readers/set-reader.ts';
import { loadBuiltinFormats } from '../../../../domain/formats/mapping/builtin.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { Site } from '../../../support/site.ts';
import { untilWaiting } from '../../../support/until-waiting.ts';

describe('an antenna', () => {
  const database = useDatabase();
  let db: Database;
  before(() => {
    db = databaseOn(database.pool);
  });
  const refusalOf = (set: Promise<unknown>) =>
    set.then(
      () => null,
      (error) => `${error.code}: ${error.message}`,
    );
  const place = (readerId: number, locationExternalKey: string) =>
    setAntenna(db, TEST_ACTOR, { readerId, port: 1, locationExternalKey });

  it('is put to a live location of its own organization only', async () => {
    const [own, other] = [await Site.create(database), await Site.create(database)];
    const readerId = await own.reader(`reader-${own.orgId}`, [null]);
    const locationId = await own.location('DOCK-1');
    await other.location('DOCK-2');
    expect(await place(readerId, 'DOCK-1')).to.include({ locationExternalKey: 'DOCK-1' });
    expect(await refusalOf(place(readerId, 'DOCK-2'))).to.equal(
      `not_found: Location DOCK-2 not found in organization ${own.orgId}`,
    );
    await database.rows('update locations set deleted_at = now() where id = $1', [locationId]);
    expect(await refusalOf(place(readerId, 'DOCK-1'))).to.match(/^not_found: Location DOCK-1/);
  });

  it('is not set while its reader is being deleted', async () => {
    const site = await Site.create(database);
    const readerId = await site.reader(`reader-${site.orgId}`, [null]);
    await site.location('DOCK-1');
    let placed: Promise<string | null> = Promise.resolve(null);
    await db.transaction(async (transaction) => {
      await transaction.exec(sql.type(NO_ROWS)`update readers set deleted_at = now() where id = ${readerId}`);
      placed = refusalOf(place(readerId, 'DOCK-1'));
      await untilWaiting(database, 1);
    });
    expect(await placed).to.equal(`not_found: Reader ${readerId} not found`);
  });

  it('is set no more once the organization is deleted, as its reader is not', async () => {
    const site = await Site.create(database);
    const readerId = await site.reader(`reader-${site.orgId}`, [null]);
    await site.location('DOCK-1');
    await deleteOrganization(db, TEST_ACTOR, site.orgId);
    const refusal = `not_found: Reader ${readerId} not found`;
    expect(await refusalOf(place(readerId, 'DOCK-1'))).to.equal(refusal);
    const renamed = setReader(db, TEST_ACTOR, loadBuiltinFormats(), readerId, { name: 'Other' });
    expect(await refusalOf(renamed)).to.equal(refusal);
  });
});
