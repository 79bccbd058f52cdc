import { expect } from 'chai';
import { type Database, databaseOn } from '../../../../db/timescale/connections/database.ts';
import { openOrganizationDoor } from '../../../../db/timescale/connections/organization-door.ts';
import {
  findLiveOrganization,
  holdLiveOrganization,
  requireLiveOrganization,
} from '../../../../domain/administration/organizations/live-organization.ts';
import { deleteOrganization } from '../../../../domain/administration/organizations/organizations.ts';
import { createReader } from '../../../../domain/administration/readers/create-reader.ts';
import { loadBuiltinFormats } from '../../../../domain/formats/mapping/builtin.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { Site } from '../../../support/site.ts';
import { untilWaiting } from '../../../support/until-waiting.ts';

describe('an organization that is asked for', () => {
  const database = useDatabase();
  let db: Database;
  before(() => {
    db = databaseOn(database.pool);
  });
  const outcomeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'done',
      (error) => `${error.code}: ${error.message}`,
    );
  const ask = async (id: number) => ({
    found: await findLiveOrganization(db, id),
    required: await outcomeOf(requireLiveOrganization(db, id)),
    held: await outcomeOf(db.transaction((transaction) => holdLiveOrganization(transaction, id))),
  });

  it('is there until it is deleted, and not if it never was', async () => {
    const { orgId } = await Site.create(database, 'Acme');
    expect(await ask(orgId)).to.deep.equal({
      found: { id: orgId, name: 'Acme' },
      required: 'done',
      held: 'done',
    });
    await deleteOrganization(db, TEST_ACTOR, orgId);
    for (const id of [orgId, 2_147_483_647]) {
      const refused = `not_found: Organization ${id} not found`;
      expect(await ask(id)).to.deep.equal({ found: null, required: refused, held: refused });
    }
  });

  it('is not found through the door of another', async () => {
    const [own, other] = [await Site.create(database), await Site.create(database)];
    const door = openOrganizationDoor(database.url, { max: 2 });
    database.beforeDrop(() => door.end());
    expect(await findLiveOrganization(door.of(own.orgId), own.orgId)).to.include({ id: own.orgId });
    expect(await findLiveOrganization(door.of(own.orgId), other.orgId)).to.equal(null);
  });

  it('is not deleted while it is held', async () => {
    const { orgId } = await Site.create(database);
    let deleted: Promise<unknown> = Promise.resolve();
    await db.transaction(async (transaction) => {
      await holdLiveOrganization(transaction, orgId);
      deleted = deleteOrganization(db, TEST_ACTOR, orgId);
      await untilWaiting(database, 1);
      expect(await findLiveOrganization(transaction, orgId)).to.include({ id: orgId });
    });
    await deleted;
    expect(await findLiveOrganization(db, orgId)).to.equal(null);
  });

  it('gets no reader that is registered while it is being deleted', async () => {
    const { orgId } = await Site.create(database);
    let created = Promise.resolve('');
    await db.transaction(async (transaction) => {
      await holdLiveOrganization(transaction, orgId);
      const deleted = deleteOrganization(db, TEST_ACTOR, orgId);
      await untilWaiting(database, 1);
      const reader = { orgId, name: 'Late', topic: 'late', format: 'tagtrail', policies: {} };
      created = outcomeOf(deleted.then(() => createReader(db, TEST_ACTOR, loadBuiltinFormats(), reader)));
    });
    expect(await created).to.equal(`not_found: Organization ${orgId} not found`);
    expect(await database.rows('select from readers where org_id = $1', [orgId])).to.deep.equal([]);
  });
});
