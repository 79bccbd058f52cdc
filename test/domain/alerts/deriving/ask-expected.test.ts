import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { askExpected } from '../../../../domain/alerts/deriving/derive-organization.ts';
import { newOrganization, newWork } from '../../../../domain/alerts/deriving/organization.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, record } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';

describe('assets that are overdue unless they are read', () => {
  const database = useDatabase();
  const beginning = Date.now() * 1_000 - 3_600 * MICROS_PER_SECOND;
  const at = (second: number): Micros => beginning + second * MICROS_PER_SECOND;

  it('are put off where they were read, and looked at where they were not, no more at a time than may be', async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    const readerId = await site.reader(`reader-${site.orgId}`, [dock]);
    const organization = newOrganization();
    const ask = async (second: number) => {
      const work = newWork();
      const turn = { now: at(second), share: 2 };
      await askExpected(databaseOn(database.pool), site.orgId, organization, work, turn);
      return work.assets.entries().map(([id, since]) => ({ id, since }));
    };
    const ids: number[] = [];
    for (const value of ['E280', 'E281', 'E282', 'E283']) {
      ids.push(await site.asset(value, value));
      await record(database, [aRead({ orgId: site.orgId, readerId, value, locationId: dock, at: at(0) })]);
    }
    const [pallet = 0, ...others] = ids;
    for (const id of ids) {
      organization.expected.set(id, { by: at(30), within: 30 * MICROS_PER_SECOND }, at(0));
    }
    await record(database, [
      aRead({ orgId: site.orgId, readerId, value: 'E280', locationId: dock, at: at(20) }),
    ]);
    expect(await ask(26)).to.deep.equal([]);
    const looked = [...(await ask(31)), ...(await ask(31))];
    expect(looked).to.have.deep.members(others.map((id) => ({ id, since: at(30) })));
    expect(await ask(44)).to.deep.equal([]);
    expect(await ask(50)).to.deep.equal([{ id: pallet, since: at(50) }]);
  });
});
