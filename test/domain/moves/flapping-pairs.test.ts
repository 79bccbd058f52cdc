import { expect } from 'chai';
import { flappingPairs } from '../../../domain/moves/flapping-pairs.ts';
import { useDatabase } from '../../support/database.ts';
import { appendMoves } from '../../support/feed-rows.ts';
import { MeasuredClient } from '../../support/measured-client.ts';
import { Site } from '../../support/site.ts';

/** Six times as many as are looked through. */
const OLD = 120_000;

describe('pairs of places that flap', () => {
  const database = useDatabase();

  it('are found without reading an old feed to its beginning', async () => {
    const site = await Site.create(database);
    const [a, b] = [await site.location('A'), await site.location('B')];
    const assetId = await site.asset('BOUNCER', 'E1');
    await database.rows(
      `insert into moves (org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at, location_id)
       select $1, position, now() - interval '3 days', $2, 'moved', 1, 1, now() - interval '3 days', $3
       from generate_series(1, ${OLD}) position`,
      [site.orgId, assetId, a],
    );
    await database.rows(
      `insert into move_heads (org_id, head, sealed_at, complete_since) values ($1, ${OLD}, now(), now())
       on conflict (org_id) do update set head = excluded.head`,
      [site.orgId],
    );
    await appendMoves(
      database,
      site.orgId,
      [a, b, a, b, a].map((locationId) => ({
        ...{ assetId, locationId, previousLocationId: locationId === a ? b : a },
      })),
    );
    await database.rows('vacuum analyze moves');
    const measured = await MeasuredClient.connect(database.url, 'auto', true);
    database.beforeDrop(() => measured.client.end());
    const all = await measured.measure(async (client) => {
      const [pair] = await flappingPairs(client, site.orgId);
      expect(pair).to.deep.equal({ location_id: a, other_location_id: b, moves: 5, assets: 1 });
    });
    const [{ pages } = { pages: 0 }] = [...all.values()];
    // Of the primary key alone there are 460.
    expect(pages).to.be.within(1, 200);
  });
});
