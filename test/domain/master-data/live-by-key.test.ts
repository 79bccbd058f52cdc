import { expect } from 'chai';
import { type Database, databaseOn } from '../../../db/timescale/connections/database.ts';
import {
  findLiveByKey,
  findLiveByKeys,
  holdLiveLocation,
  type Keyed,
  requireLiveByKey,
} from '../../../domain/master-data/by-id-or-key.ts';
import { useApi } from '../../support/api.ts';
import { Site } from '../../support/site.ts';
import { untilWaiting } from '../../support/until-waiting.ts';

describe('a live row by its key', () => {
  const api = useApi();
  const { database } = api;
  let db: Database;
  before(() => {
    db = databaseOn(database.pool);
  });
  const outcomeOf = (asked: Promise<unknown>) =>
    asked.then(
      (found) => found,
      (error) => `${error.code}: ${error.message}`,
    );
  const hold = (orgId: number, key: string) =>
    db.transaction((transaction) => holdLiveLocation(transaction, orgId, key));

  for (const resource of ['asset', 'location'] as const satisfies Keyed[]) {
    const noun = resource === 'asset' ? 'Asset' : 'Location';

    it(`is that of the organization, not of another, and none that was deleted (${resource})`, async () => {
      const [own, other] = [await Site.create(database), await Site.create(database)];
      const [id, foreign] = [await own[resource]('DOCK-1'), await other[resource]('DOCK-1')];
      await other[resource]('DOCK-2');
      expect(await findLiveByKey(db, resource, own.orgId, 'DOCK-1')).to.equal(id);
      expect(await findLiveByKey(db, resource, other.orgId, 'DOCK-1')).to.equal(foreign);
      expect(await findLiveByKey(db, resource, own.orgId, 'DOCK-2')).to.equal(null);
      expect(await findLiveByKey(db, resource, own.orgId, 'DOCK')).to.equal(null);
      expect(await findLiveByKeys(db, resource, own.orgId, ['DOCK-2', 'DOCK-1'])).to.deep.equal([
        { id, external_key: 'DOCK-1' },
      ]);

      await database.rows(`update ${resource}s set deleted_at = now() where id = $1`, [id]);
      const refused = `not_found: ${noun} DOCK-1 not found in organization ${own.orgId}`;
      expect(await findLiveByKey(db, resource, own.orgId, 'DOCK-1')).to.equal(null);
      expect(await outcomeOf(requireLiveByKey(db, resource, own.orgId, 'DOCK-1'))).to.equal(refused);
      expect(await findLiveByKeys(db, resource, own.orgId, ['DOCK-1'])).to.deep.equal([]);
      const successor = await own[resource]('DOCK-1');
      expect(await requireLiveByKey(db, resource, own.orgId, 'DOCK-1')).to.equal(successor);
    });
  }

  it('is held only where it is live, and the own', async () => {
    const [own, other] = [await Site.create(database), await Site.create(database)];
    const id = await own.location('DOCK-1');
    expect(await outcomeOf(hold(own.orgId, 'DOCK-1'))).to.equal(id);
    expect(await outcomeOf(hold(other.orgId, 'DOCK-1'))).to.equal(
      `not_found: Location DOCK-1 not found in organization ${other.orgId}`,
    );
    await database.rows('update locations set deleted_at = now() where id = $1', [id]);
    expect(await outcomeOf(hold(own.orgId, 'DOCK-1'))).to.match(/^not_found/);
  });

  it('is not deleted while it is held', async () => {
    const path = '/api/v1/locations';
    const { body } = await api.call({ method: 'POST', path, json: { external_key: 'HELD', name: 'Held' } });
    const id = body?.data?.['id'];
    let deleted: Promise<{ status: number }> = Promise.resolve({ status: 0 });
    await db.transaction(async (transaction) => {
      expect(await holdLiveLocation(transaction, api.orgId, 'HELD')).to.equal(id);
      deleted = api.call({ method: 'DELETE', path: `${path}/${id}` });
      await untilWaiting(database, 1);
      expect(await findLiveByKey(db, 'location', api.orgId, 'HELD')).to.equal(id);
    });
    expect((await deleted).status).to.equal(204);
    expect(await findLiveByKey(db, 'location', api.orgId, 'HELD')).to.equal(null);
  });
});
