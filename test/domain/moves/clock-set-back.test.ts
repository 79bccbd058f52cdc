import { expect } from 'chai';
import { sweepMoves } from '../../../db/timescale/schema/retention.ts';
import { movesAt } from '../../../domain/moves/moves-at.ts';
import { readPlacementsOfEvents } from '../../../domain/moves/published/read-placements.ts';
import { positionAt } from '../../../domain/tracking/feed/position-at.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record } from '../../support/recording.ts';
import { sealAll } from '../../support/seal-all.ts';
import { Site } from '../../support/site.ts';

describe("the feed after the database's clock was set back", () => {
  const database = useDatabase();
  let site: Site;
  let locations: number[];
  let readerId: number;

  const now = async () => {
    const [row] = await database.rows<{ at: number }>('select micros_of_time(clock_timestamp()) as at');
    return row?.at ?? 0;
  };
  /** Each move is sealed by itself. */
  async function move(value: string, count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const [locationId = 0] = locations.reverse();
      await record(database, [aRead({ orgId: site.orgId, readerId, value, locationId, at: await now() })]);
      await sealAll(database.url);
    }
  }

  before(async () => {
    site = await Site.create(database);
    locations = [await site.location('DOCK'), await site.location('GATE')];
    readerId = await site.reader('gate', locations);
    await site.asset('PALLET', 'E280');
    await site.asset('CRATE', 'E281');
    await move('E280', 2);
    // As it is if both happened while the clock was two days ahead.
    await database.rows(`update positions set told_at = told_at + interval '2 days'`);
    await database.rows(`update move_heads set sealed_at = sealed_at + interval '2 days'`);
  });

  it('has all that follows after any time from then on, in order, and loses none of it to retention', async () => {
    const since = await now();
    await move('E280', 3);
    await move('E281', 2);
    const { orgId } = site;
    expect(await positionAt(database.pool, orgId, since)).to.equal(2);
    expect(await positionAt(database.pool, orgId, await now())).to.equal(2);

    expect(await sweepMoves(database.pool, 7)).to.equal(0);
    const all = await movesAt(database.pool, orgId, [1, 2, 3, 4, 5, 6, 7]);
    expect(all.map(({ data }) => data.position)).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    for (const one of all) {
      const later = all.filter(
        ({ subject, data }) => subject === one.subject && data.position > one.data.position,
      );
      expect(later.every(({ time }) => time >= one.time)).to.equal(true);
    }
    const { placements, upTo } = await readPlacementsOfEvents(database.pool, orgId, { after: 2, limit: 200 });
    expect(upTo).to.equal(7);
    const [, , last] = placements;
    const [current] = await database.rows<{ location_id: number }>(
      `select location_id from positions join assets on assets.id = asset_id where external_key = 'PALLET'`,
    );
    expect(last?.stay?.location.location_id).to.equal(current?.location_id);
    expect(placements.map(({ toldAt }) => (toldAt ?? 0) > since + 86_400_000_000)).to.deep.equal([
      ...[true, true, true],
      ...[false, false],
    ]);
  });
});
