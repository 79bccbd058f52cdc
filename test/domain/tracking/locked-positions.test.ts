import { expect } from 'chai';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { lockPositions } from '../../../domain/tracking/positions.ts';
import { useDatabase } from '../../support/database.ts';
import { Random } from '../../support/random.ts';
import { Site } from '../../support/site.ts';

describe('a locked position', () => {
  const database = useDatabase();

  it('has the very microsecond of its times, from 2015 to 2100', async () => {
    const site = await Site.create(database);
    const locationId = await site.location('A');
    const random = new Random(5, 0);
    const [first, last] = [Date.UTC(2015) * 1_000, Date.UTC(2100, 0, 2) * 1_000];
    const days = Math.floor((last - first) / 86_400_000_000);
    const drawn = () => first + random.below(days) * 86_400_000_000 + random.below(86_400) * 1_000_000;
    const times = [
      first,
      last - 1,
      ...Array.from({ length: 2_000 }, () => drawn() + random.below(1_000_000)),
    ];
    const assetIds = await database.rows<{ id: number }>(
      `insert into assets (org_id, external_key, name)
       select $1, 'A-' || n, 'A' from generate_series(1, $2::integer) n returning id`,
      [site.orgId, times.length],
    );
    await database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen, told_at)
       select $1, id, $2, time_of_micros(at), time_of_micros(at + 1), time_of_micros(at + 1)
       from unnest($3::integer[], $4::bigint[]) as made (id, at)`,
      [site.orgId, locationId, assetIds.map(({ id }) => id), times],
    );
    const positions = await inTransaction(database.pool, (client) =>
      lockPositions(
        client,
        assetIds.map(({ id }) => ({ orgId: site.orgId, assetId: id })),
      ),
    );
    const now = Date.now() * 1_000;
    expect(positions.map(({ stay, lastSeen }) => [stay?.since, lastSeen])).to.deep.equal(
      times.map((at) => [at, at + 1]),
    );
    const later = (at: number) => at > now + 60_000_000;
    expect(positions.map(({ lockedAt }) => lockedAt).filter(later)).to.deep.equal(
      times.map((at) => at + 1).filter(later),
    );
  });

  it('is made where it was taken for known and is missing', async () => {
    const site = await Site.create(database);
    const assets = [await site.asset('A'), await site.asset('B')].map((assetId) => ({
      orgId: site.orgId,
      assetId,
    }));
    const lock = (areKnown: boolean) =>
      inTransaction(database.pool, (client) => lockPositions(client, assets, areKnown));
    const made = await lock(true);
    expect(made.map(({ assetId }) => assetId)).to.have.members(assets.map(({ assetId }) => assetId));
    const rowsOf = (positions: typeof made) => positions.map(({ assetId, row }) => [assetId, row]);
    expect(rowsOf(await lock(true))).to.deep.equal(rowsOf(made));
    expect(rowsOf(await lock(false))).to.deep.equal(rowsOf(made));
  });
});
