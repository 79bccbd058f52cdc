import { expect } from 'chai';
import { Registry } from 'prom-client';
import { measureSealing } from '../../../domain/moves/measure-sealing.ts';
import { startSealing } from '../../../domain/moves/start-sealing.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe('the metrics of the sealer', () => {
  const database = useDatabase();

  it('count the assets whose history from before the feed is not in it', async () => {
    const site = await Site.create(database);
    for (const key of ['A', 'B', 'C']) {
      await database.rows('insert into positions (org_id, asset_id, is_in_feed) values ($1, $2, $3)', [
        site.orgId,
        await site.asset(key),
        key === 'C',
      ]);
    }
    const registry = new Registry();
    const sealing = startSealing(database.url, {
      onFault: (error) => {
        throw error;
      },
    });
    measureSealing(registry, sealing);
    const value = async () =>
      (await registry.getSingleMetric('tagtrail_moves_histories_waiting')?.get())?.values[0]?.value;
    await until(async () => (await value()) === 2);
    await sealing.stop();
    expect(await value()).to.equal(0);
  });
});
