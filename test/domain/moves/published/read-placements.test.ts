import { expect } from 'chai';
import { readCurrent, readPublished } from '../../../../domain/moves/published/read-placements.ts';
import { useDatabase } from '../../../support/database.ts';
import { MeasuredClient } from '../../../support/measured-client.ts';
import { place } from '../../../support/placed.ts';
import { Site } from '../../../support/site.ts';

describe('what was published of assets', () => {
  const database = useDatabase();
  const SENT = 1_000;
  const AHEAD = 150;
  const WAITING = 20_000;

  it('is found beside a long backlog of one of them, none of whose events is read', async () => {
    const site = await Site.create(database);
    const [dock, gate] = [await site.location('DOCK'), await site.location('GATE')];
    const [busy, idle] = [await site.asset('BUSY'), await site.asset('IDLE')];
    await database.rows(
      `insert into moves (org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at, location_id, since)
       select $1, number, '2026-05-01', case number when 1 then $3::int else $2::int end, 'moved', 1, 1,
         timestamptz '2026-05-01' + number * interval '1 s', case when number % 2 = 0 then $4::int else $5::int end,
         timestamptz '2026-05-01' + number * interval '1 s'
       from generate_series(1, $6::int) number`,
      [site.orgId, busy, idle, dock, gate, SENT + AHEAD + WAITING],
    );
    await database.rows(
      `insert into mqtt_topics (org_id, asset_id, topic, told_at)
       values ($1, $2, 'busy', timestamptz '2026-05-01' + $3 * interval '1 s')`,
      [site.orgId, busy, SENT + AHEAD],
    );
    await database.rows('analyze');
    const measured = await MeasuredClient.connect(database.url);
    try {
      let found: Awaited<ReturnType<typeof readPublished>> = [];
      const taken = await measured.measure(async (client) => {
        found = await readPublished(client, site.orgId, [busy, idle], SENT);
      });
      expect(found.map(({ assetId, stay }) => [assetId, stay?.since])).to.deep.equal([
        [busy, '2026-05-01T00:19:10.000Z'],
        [idle, '2026-05-01T00:00:01.000Z'],
      ]);
      const { rows = Number.NaN, scanned } = taken.get('published-placements') ?? {};
      expect(scanned).not.to.include('moves');
      expect(rows).to.be.below(AHEAD + 100);
    } finally {
      await measured.client.end();
    }
  });

  it('has the nearest of the locations above, of a deep tree and of long names', async () => {
    const site = await Site.create(database);
    const asset = await site.asset('DEEP');
    const placedAt = async (keys: readonly string[]) => {
      let parent: number | null = null;
      for (const key of keys) {
        parent = await site.location(key, parent);
      }
      await place(database, site.orgId, {
        assetId: asset,
        locationId: parent,
        since: '2026-05-01T10:00:00Z',
      });
      const [placement] = await readCurrent(database.pool, site.orgId, [asset]);
      return placement?.stay?.location.path.map(({ external_key: key }) => key);
    };
    const levels = Array.from({ length: 100 }, (_, level) => `L-${level}`);
    const long = Array.from({ length: 20 }, (_, level) => `${'N'.repeat(200)}-${level}`);
    expect(await placedAt(levels)).to.deep.equal(levels.slice(-64));
    expect(await placedAt(long)).to.deep.equal(long.slice(-10));
  });
});
