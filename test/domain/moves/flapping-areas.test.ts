import { expect } from 'chai';
import { flappingAreas } from '../../../domain/moves/flapping-areas.ts';
import { sealBatch } from '../../../domain/moves/sealing/seal-batch.ts';
import { useDatabase } from '../../support/database.ts';
import { appendMoves } from '../../support/feed-rows.ts';
import { MeasuredClient } from '../../support/measured-client.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

/** Six times as many as are looked through. */
const OLD = 120_000;

describe('areas that flap', () => {
  const database = useDatabase();

  it('are found without reading an old feed or old histories to their beginnings', async () => {
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
    await database.rows(
      `insert into location_transitions (org_id, asset_id, observed_at, location_id)
       select $1, $2, now() - interval '3 days' + number * interval '1 second', $3 + number % 2
       from generate_series(1, 40_000) number`,
      [site.orgId, assetId, a],
    );
    await append(site, assetId, [a, b], 30, 10);
    await database.rows('vacuum analyze moves, location_transitions');
    const measured = await MeasuredClient.connect(database.url, 'auto', true);
    database.beforeDrop(() => measured.client.end());
    const all = await measured.measure(async (client) => {
      expect(await flappingAreas(client, site.orgId)).to.deep.equal([
        { location_id: null, pair: [a, b], moves: 30, returns: 29, others: [] },
      ]);
    });
    const pages = [...all.values()].reduce((sum, statement) => sum + statement.pages, 0);
    // Of the primary key alone there are 460.
    expect(pages).to.be.within(1, 250);
  });

  it('are the deepest around their locations, where enough moves are returns within 30 s', async () => {
    const site = await Site.create(database, 'Areas');
    const hall = await site.location('HALL');
    const bay = await site.location('BAY', hall);
    const [east, west] = [await site.location('EAST', bay), await site.location('WEST', hall)];
    const yard = await site.location('YARD');
    await site.reader('portals', [east, west, bay, yard]);
    const assetId = await site.asset('CART', 'CART');
    const areas = () => flappingAreas(database.pool, site.orgId);
    await append(site, assetId, [east, west], 8, 20);
    expect(await areas(), 'few').to.deep.equal([]);
    await append(site, assetId, [east, west], 40, 31);
    expect(await areas(), 'slow').to.deep.equal([]);
    await append(site, assetId, [east, west], 20, 20);
    await append(site, assetId, [east, yard], 9, 20);
    expect(await areas()).to.deep.equal([
      { location_id: hall, pair: [east, west], moves: 68, returns: 26, others: [bay] },
    ]);
    // Already decided otherwise.
    await database.rows(
      `insert into location_settings (org_id, location_id, valid_from, procedure, certainty)
       values ($1, $2, now(), 'strength', 1)`,
      [site.orgId, hall],
    );
    expect(await areas()).to.deep.equal([]);
  });

  it('are found too where three antennas hear an asset in turn', async () => {
    const site = await Site.create(database, 'Turns');
    const locations = [await site.location('A'), await site.location('B'), await site.location('C')];
    const assetId = await site.asset('CART', 'CART3');
    await append(site, assetId, locations, 40, 4);
    const [area] = await flappingAreas(database.pool, site.orgId);
    expect(area).to.include({ location_id: null, moves: 40, returns: 0 });
  });

  it('are those of histories, in whatever order scans came', async () => {
    const site = await Site.create(database, 'Late');
    const { orgId } = site;
    const [a, b] = [await site.location('A'), await site.location('B')];
    const readerId = await site.reader('late', [a, b]);
    await site.asset('CART', 'LATE');
    await site.asset('LORRY', 'SLOW');
    const begun = Math.floor(Date.now() / 1_000 - 80_000) * 1_000_000;
    const reads = (value: string, seconds: number) =>
      Array.from({ length: 16 }, (_, index) => {
        const at = begun + index * seconds * 1_000_000;
        const antenna = 1 + (index % 2);
        return aRead({ orgId, readerId, value, antenna, at, locationId: antenna === 1 ? a : b });
      });
    // The newest first, each by itself: most come to the past of a history.
    for (const read of [...reads('LATE', 10), ...reads('SLOW', 2_000)].reverse()) {
      await record(database, [read], begun + 79_000_000_000);
    }
    await sealBatch(database.pool, [{ orgId, after: 0, share: 1_000 }]);
    expect(await flappingAreas(database.pool, orgId)).to.deep.equal([
      { location_id: null, pair: [a, b], moves: 30, returns: 14, others: [] },
    ]);
  });

  /** Moves from each location to the next, so many seconds apart. */
  let at = Date.now() - 3_600_000;
  async function append(
    { orgId }: Site,
    assetId: number,
    locations: readonly number[],
    count: number,
    seconds: number,
  ) {
    at += 60_000;
    const instants = Array.from({ length: count + 1 }, (_, index) => new Date(at + index * seconds * 1_000));
    at += count * seconds * 1_000;
    await database.rows(
      `insert into location_transitions (org_id, asset_id, observed_at, location_id)
       select $1, $2, observed_at, location_id from unnest($3::timestamptz[], $4::integer[]) stay (observed_at, location_id)`,
      [orgId, assetId, instants, instants.map((_, index) => locations[index % locations.length])],
    );
    await appendMoves(database, orgId, [{ assetId }]);
  }
});
