import { expect } from 'chai';
import { examineOrganization } from '../../domain/health/examine.ts';
import type { Finding } from '../../domain/health/finding.ts';
import { sealBatch } from '../../domain/moves/sealing/seal-batch.ts';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { aRead, record } from '../support/recording.ts';
import { Site } from '../support/site.ts';

describe('doctor, of assets that seem to go to and fro', () => {
  const database = useDatabase();
  const { tagtrail, json } = commandLineOn(() => database);
  let site: Site;
  const located = async () =>
    (JSON.parse((await tagtrail('doctor', '--json')).stdout).findings as Finding[]).filter(
      ({ check }) => check === 'locating',
    );

  before(async () => {
    site = await Site.create(database);
    const hall = await site.location('HALL');
    const [east, west] = [await site.location('EAST', hall), await site.location('WEST', hall)];
    const readerId = await site.reader('hall', [east, west, await site.location('DESK', hall)]);
    await site.asset('CART', 'CART');
    const begun = (Date.now() - 3_600_000) * 1_000;
    for (let second = 0; second < 40; second++) {
      const isEast = second % 2 === 0;
      const read = { orgId: site.orgId, readerId, value: 'CART', at: begun + second * 1_000_000 };
      const heard = isEast
        ? { antenna: 1, locationId: east, rssi: -55 }
        : { antenna: 2, locationId: west, rssi: -70 };
      await record(database, [aRead({ ...read, ...heard })]);
    }
    await sealBatch(database.pool, [{ orgId: site.orgId, after: 0, share: 1_000 }]);
  });

  it('says between which locations, what strength would have made of it, how to set it, and for which others', async () => {
    const org = site.orgId;
    expect(await located()).to.deep.equal([
      {
        check: 'locating',
        status: 'warning',
        message:
          `Organization ${org} (Acme): assets seem to go to and fro between EAST and WEST, as both hear them: ` +
          '38 of 39 moves within a day were back within 30 seconds; 39 recorded moves would have been 0 by strength',
        remedy: `Decide by strength, which also changes the moves of DESK: npx --no -- tagtrail locate set --org ${org} --location HALL --by strength; first look with locate try`,
      },
    ]);
    const own = await examineOrganization(database.pool, org);
    expect(own.find(({ check }) => check === 'locating')).to.deep.include({
      mend: { what: 'decide_by_strength', id: null },
    });
  });

  it('says nothing more once it is set', async () => {
    await json('locate', 'set', '--org', String(site.orgId), '--location', 'HALL', '--by', 'strength');
    expect(await located()).to.deep.equal([]);
  });
});
