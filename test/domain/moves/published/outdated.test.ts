import { expect } from 'chai';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { type Outdated, readOutdated } from '../../../../domain/moves/published/outdated.ts';
import { useDatabase } from '../../../support/database.ts';
import { type Measured, MeasuredClient } from '../../../support/measured-client.ts';
import { itByNight } from '../../../support/random-sets.ts';
import { Site } from '../../../support/site.ts';

const LIMIT = 50;

describe('assets to be published again because a location above them has another name', () => {
  const database = useDatabase();
  let site: Site;
  let top: number;

  before(async () => {
    site = await Site.create(database);
    top = await site.location('TOP');
    const inner = await site.location('INNER', top);
    await database.rows(
      `insert into locations (org_id, external_key, name, parent_id)
       select $1, 'SHELF-' || number, 'shelf', $2 from generate_series(1, 3000) number`,
      [site.orgId, inner],
    );
    await database.rows(
      `insert into assets (org_id, external_key, name)
       select $1, 'A-' || number, 'asset' from generate_series(1, 3000) number`,
      [site.orgId],
    );
    // One on each shelf, and some right at the top.
    await database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       select $1, asset.id, coalesce(shelf.id, $2), now(), now()
       from assets asset left join locations shelf
         on shelf.org_id = asset.org_id and shelf.external_key = 'SHELF-' || (substr(asset.external_key, 3)::integer - 50)
       where asset.org_id = $1`,
      [site.orgId, top],
    );
    await database.rows('analyze');
    await database.rows(`insert into mqtt_feeds (org_id, target, position) values ($1, 'broker', 0)`, [
      site.orgId,
    ]);
  });

  const rename = (locationId: number, name: string) =>
    database.rows('update locations set name = $2 where id = $1', [locationId, name]);
  const isLeft = async () => (await database.rows('select from mqtt_outdated limit 1')).length > 0;

  itByNight('are all found, by steps that each read little', async () => {
    await rename(top, 'Renamed');
    const measured = await MeasuredClient.connect(database.url, 'auto', true);
    database.beforeDrop(() => measured.client.end());
    let longest = 0;
    const found = new Set<number>();
    while (await isLeft()) {
      let step: Outdated = { assetIds: [], done: async () => {} };
      const taken = await measured.measure(async (client) => {
        step = await readOutdated(client, site.orgId, { limit: LIMIT });
        await step.done();
        await client.query('commit; begin');
      });
      expect(step.assetIds.length).to.be.at.most(LIMIT);
      longest = Math.max(longest, greatest(taken));
      for (const id of step.assetIds) {
        found.add(id);
      }
    }
    expect(found.size).to.equal(3_000);
    // 3,000 shelves are right below one location; to walk all of it for each step took 318,000.
    expect(longest).to.be.below(10_000);
  });

  it('are found again if it gets yet another name meanwhile', async () => {
    const db = databaseOn(database.pool);
    await rename(top, 'Renamed again');
    const found = new Map<number, number>();
    let isRenamed = false;
    while (await isLeft()) {
      const step = await readOutdated(db, site.orgId, { limit: LIMIT });
      for (const id of step.assetIds) {
        found.set(id, (found.get(id) ?? 0) + 1);
      }
      if (found.size > 100 && !isRenamed) {
        isRenamed = true;
        await rename(top, 'And again');
      }
      await step.done();
    }
    expect(found.size).to.equal(3_000);
    const twice = [...found.values()].filter((times) => times > 1);
    expect(twice.length).to.be.at.least(100);
  });
});

/** Rows that one statement had in hand. */
function greatest(taken: ReadonlyMap<string, Measured>): number {
  return Math.max(0, ...[...taken.values()].map(({ rows }) => rows));
}
