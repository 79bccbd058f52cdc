import type { TestDatabase } from './database.ts';
import { sealAll } from './seal-all.ts';

/** Seals events of an asset, and has that be so many days ago. */
export async function sealedDaysAgo(
  database: TestDatabase,
  { orgId, assetId }: { orgId: number; assetId: number },
  days: number,
  count: number,
): Promise<void> {
  await database.rows(
    `insert into unsealed_moves (org_id, asset_id, kind, recorded_at)
     select $1, $2, 'moved', now() from generate_series(1, $3::integer)`,
    [orgId, assetId, count],
  );
  await sealAll(database.url);
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query(`set local tagtrail.retention = 'on'`);
    await client.query(
      `with old as (
         delete from moves where org_id = $1 and sealed_at > now() - interval '1 hour'
           and position > (select head from move_heads where org_id = $1) - $3::integer
         returning org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at
       )
       insert into moves (org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at)
       select org_id, position, sealed_at - make_interval(days => $2), asset_id, kind, part, parts, recorded_at from old`,
      [orgId, days, count],
    );
    await client.query(
      `update move_days set day = day - $2::integer where org_id = $1 and day = (now() at time zone 'UTC')::date`,
      [orgId, days],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
}
