import { expect } from 'chai';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../db/timescale/connections/organization-door.ts';
import { renameAsset } from '../../domain/master-data/assets/change.ts';
import { createAsset } from '../../domain/master-data/assets/create.ts';
import { tagColumns } from '../../domain/master-data/tags/new-tag.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { openCountingProxy } from '../support/counting-proxy.ts';
import { useDatabase } from '../support/database.ts';

describe('the way to the database and back', () => {
  const database = useDatabase();
  let door: OrganizationDoor;
  let roundTrips: () => number;
  let orgId: number;

  before(async () => {
    const proxy = await openCountingProxy(database);
    roundTrips = proxy.roundTrips;
    door = openOrganizationDoor(proxy.url, { max: 2 });
    database.beforeDrop(() => door.end());
    const [row] = await database.rows<{ id: number }>(
      `insert into organizations (name) values ('Shipper') returning id`,
    );
    orgId = row?.id ?? 0;
    await create('FIRST');
  });

  const create = (external_key: string | undefined, tags?: string[]) =>
    createAsset(door.of(orgId), TEST_ACTOR, {
      name: 'Pallet',
      external_key,
      tags: tags && tagColumns(tags.map((value) => ({ tagType: 'rfid', value, tagKey: value }))),
    });

  async function count(work: () => Promise<unknown>): Promise<number> {
    const before = roundTrips();
    await work();
    return roundTrips() - before;
  }

  it('is gone once for a new asset', async () => {
    expect(await count(() => create('PAL-1'))).to.equal(1);
  });

  it('is gone once with its tags, few or many', async () => {
    expect(await count(() => create('PAL-2', ['E280-1', 'E280-2']))).to.equal(1);
    const many = Array.from({ length: 100 }, (_, index) => `E281-${index}`);
    expect(await count(() => create('PAL-3', many))).to.equal(1);
  });

  it('is gone twice for twenty at once, of which the first does not wait for the others', async () => {
    const all = Array.from({ length: 20 }, (_, index) => create(`PAL-2${index}`, [`E282-${index}`]));
    expect(await count(() => Promise.all(all))).to.equal(2);
  });

  it('is gone two times more where the key has to be minted', async () => {
    expect(await count(() => create(undefined))).to.equal(3);
  });

  it('is gone five times for a new external key, of which one brings the asset, however large', async () => {
    const { id } = await create('OLD');
    expect(await count(() => renameAsset(door.of(orgId), TEST_ACTOR, id, 'NEW'))).to.equal(5);
    expect(await count(() => renameAsset(door.of(orgId), TEST_ACTOR, id, 'NEW'))).to.equal(3);
  });
});
