import { expect } from 'chai';
import { softDeleteAsset } from '../../../domain/master-data/assets/queries.ts';
import {
  lockLocationForChange,
  lockLocationForDelete,
} from '../../../domain/master-data/locations/change.ts';
import { useDatabase } from '../../support/database.ts';
import { MeasuredClient } from '../../support/measured-client.ts';
import { Site } from '../../support/site.ts';

describe('changing one of many assets or locations that were just imported', () => {
  const database = useDatabase();

  it('reads that one only, though there are no statistics yet', async () => {
    for (const table of ['assets', 'locations']) {
      await database.rows(`alter table ${table} set (autovacuum_enabled = off)`);
    }
    const { orgId } = await Site.create(database);
    await database.rows(
      `insert into locations (org_id, external_key, name)
       select $1, 'L-' || number, 'location' from generate_series(1, 3000) number`,
      [orgId],
    );
    await database.rows(
      `insert into assets (org_id, external_key, name)
       select $1, 'A-' || number, 'asset' from generate_series(1, 3000) number`,
      [orgId],
    );
    const measured = await MeasuredClient.connect(database.url, 'force_generic_plan');
    database.beforeDrop(() => measured.client.end());
    // As requests that change something have it.
    await measured.client.query(
      `select set_config('enable_seqscan', 'off', false), set_config('cpu_index_tuple_cost', '1', false),
         set_config('cpu_operator_cost', '0', false)`,
    );
    const taken = await measured.measure(async (client) => {
      const change = Object.assign(client, { orgId }) as unknown as Parameters<typeof softDeleteAsset>[0];
      expect(await softDeleteAsset(change, 1_500)).to.have.property('external_key');
      expect(await softDeleteAsset(change, 1_500)).to.equal(null);
      expect(await lockLocationForChange(change, 1_500)).to.be.a('string');
      expect(await lockLocationForDelete(change, 1_500)).to.equal(1_500);
    });
    for (const name of ['soft-delete-asset', 'lock-location-for-change', 'lock-location-for-delete']) {
      expect(taken.get(name)?.rows, name).to.be.below(100);
    }
  });
});
