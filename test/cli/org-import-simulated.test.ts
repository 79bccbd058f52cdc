import { join } from 'node:path';
import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { eraseOrganization } from '../../domain/administration/organizations/erase-organization.ts';
import { deleteOrganization } from '../../domain/administration/organizations/organizations.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { commandLineOn } from '../support/command-line.ts';
import { useSimulate } from '../support/simulate.ts';

describe('an organization that was exported, erased and imported', () => {
  const { api, folder, simulated, checked } = useSimulate();
  const { database } = api;
  const { json } = commandLineOn(() => database);

  it('agrees with what really happened: histories, positions, move feed and counters of readers', async () => {
    const faults = ['--faults', 'late,duplicates,strangers,poison'];
    const truth = await simulated(
      '--readers',
      '3',
      '--assets',
      '30',
      '--rate',
      '150',
      '--duration',
      '3',
      ...faults,
    );
    const before = await checked();
    expect(before).to.deep.include({ status: 0, differences: [], feed_differences: [] });
    const orgId = truth.org_id;
    const [{ name = '' } = {}] = await database.rows<{ name: string }>(
      'select name from organizations where id = $1',
      [orgId],
    );
    const exported = join(folder, 'exported');
    await json('org', 'export', '--org', String(orgId), '--folder', exported);
    await deleteOrganization(databaseOn(database.pool), TEST_ACTOR, orgId);
    const hooks = { signal: new AbortController().signal, onProgress: () => {} };
    const erasure = { orgId, name, leavesPublished: true };
    await eraseOrganization(database.pool, TEST_ACTOR, erasure, hooks);
    expect(await database.rows('select from assets')).to.deep.equal([]);
    await json('org', 'import', '--folder', exported);
    expect(await checked()).to.deep.equal(before);
  });
});
