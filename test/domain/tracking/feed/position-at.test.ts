import { expect } from 'chai';
import { positionAt } from '../../../../domain/tracking/feed/position-at.ts';
import { useDatabase } from '../../../support/database.ts';
import { Site } from '../../../support/site.ts';

describe('the position of a time', () => {
  const database = useDatabase();
  let site: Site;
  const BEGIN = Date.UTC(2026, 0, 1) * 1_000;

  before(async () => {
    site = await Site.create(database);
    const other = await Site.create(database, 'Other');
    for (const [{ orgId }, step] of [
      [site, 60],
      [other, 7],
    ] as const) {
      const asset = await (orgId === site.orgId ? site : other).asset('A');
      // Four at each time, as a batch is sealed; the first hundred are no longer kept.
      await database.rows(
        `insert into moves (org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at)
         select $1::integer, position, time_of_micros($3::bigint) + position / 4 * $4::integer * interval '1 second',
           $2::integer, 'moved', 1, 1, time_of_micros($3::bigint)
         from generate_series(101, 1000) position`,
        [orgId, asset, BEGIN, step],
      );
      await database.rows('insert into move_heads (org_id, head, oldest) values ($1, 1000, 101)', [orgId]);
    }
  });

  it('is before everything that was sealed then or later, and after all else', async () => {
    for (const seconds of [
      -5,
      0,
      25 * 60,
      26 * 60 - 1,
      26 * 60,
      100 * 60 + 30,
      250 * 60,
      250 * 60 + 1,
      1e9,
    ]) {
      const at = BEGIN + seconds * 1_000_000;
      const [{ first } = { first: 0 }] = await database.rows<{ first: number }>(
        `select coalesce(min(position), 1001)::integer as first from moves
         where org_id = $1 and sealed_at >= time_of_micros($2::bigint)`,
        [site.orgId, at],
      );
      expect(await positionAt(database.pool, site.orgId, at), `${seconds} s`).to.equal(first - 1);
    }
  });

  it('is the beginning for who has had no moves', async () => {
    const empty = await Site.create(database, 'Empty');
    expect(await positionAt(database.pool, empty.orgId, BEGIN)).to.equal(0);
  });
});
