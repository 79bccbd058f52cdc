import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { TEST_ACTOR } from './actor.ts';
import type { TestDatabase } from './database.ts';
import { openIntake } from './intake.ts';
import { sealAll } from './seal-all.ts';
import { Site } from './site.ts';

/**
 * Fills a database as an installation does: readers' messages of three weeks, so that hypertables have chunks, with
 * unknown tags and rejected messages among them.
 */
export async function fillDatabase(database: TestDatabase): Promise<void> {
  const site = await Site.create(database, 'Acme "quoted", ü');
  const dock = await site.location('DOCK');
  const places = [dock, await site.location('SHELF')];
  await site.asset('PALLET', 'E280');
  await site.asset('TOTE', 'E281');
  const reader = await site.reader('portal', places);
  await createHandheld(databaseOn(database.pool), TEST_ACTOR, { orgId: site.orgId, name: 'gun' });
  const intake = await openIntake(database);
  const now = Date.now();
  for (let day = 20; day >= 0; day--) {
    const reads = Array.from({ length: 50 }, (_, index) => ({
      value: ['E280', 'E281', `FEED${index}`][index % 3],
      antenna: 1 + (index % 2),
      rssi: -40 - index / 3,
      observed_at: new Date(now - day * 86_400_000 - index * 61_000).toISOString(),
    }));
    await intake.receive('portal', JSON.stringify(reads));
  }
  await intake.receive('portal', Buffer.from([0, 255, 10, 92]));
  await drawPlan(database, { orgId: site.orgId, dock, reader });
  await sealAll(database.url);
  // Recorded since, and not sealed yet.
  await intake.receive('portal', JSON.stringify([{ value: 'E281', antenna: 1 }]));
  await intake.receive('portal', JSON.stringify([{ value: 'E281', antenna: 2 }]));
}

/** A plan with a scale, a place and an antenna on it, and an asset that is somewhere on it. */
async function drawPlan(
  database: TestDatabase,
  { orgId, dock, reader }: { orgId: number; dock: number; reader: number },
): Promise<void> {
  const [plan] = await database.rows<{ id: number }>(
    `insert into plans (org_id, location_id, name, media_type, width, height, image, sha256, scale_points, scale_metres)
     values ($1, $2, 'Dock', 'image/png', 20, 10, '\\x0102', sha256('\\x0102'), '{0,0,1,0}', 20) returning id`,
    [orgId, dock],
  );
  await database.rows('insert into plan_places values ($1, $2, $3, $4)', [orgId, plan?.id, dock, [0.5, 0.5]]);
  await database.rows('insert into plan_antennas values ($1, $2, $3, 1, 0.1, 0.9)', [
    orgId,
    plan?.id,
    reader,
  ]);
  await database.rows(
    `insert into asset_photos (org_id, asset_id, media_type, width, height, image, sha256)
     select org_id, min(id), 'image/png', 20, 10, '\\x0102', sha256('\\x0102') from assets where org_id = $1 group by org_id`,
    [orgId],
  );
  await database.rows('update antennas set offset_db = 3, height_m = 2.4 where reader_id = $1', [reader]);
  await database.rows(
    `update positions set position_plan_location_id = $2, position_x = 1.5, position_y = 2.25, position_radius = 3,
       position_observed_at = last_seen
     where org_id = $1 and asset_id = (select min(id) from assets where org_id = $1)`,
    [orgId, dock],
  );
}

/** What of a filled database must be more than nothing, for a comparison to say something. */
export function expectedRows(checksums: { table: string; rows: number }[]): Record<string, number> {
  const names = [
    'assets',
    'scan_events',
    'location_transitions',
    'unknown_tags',
    'rejected_messages',
    'handhelds',
    'changes',
    'moves',
    'unsealed_moves',
    'move_heads',
    'move_days',
    'location_versions',
    'plans',
    'plan_places',
    'plan_antennas',
    'asset_photos',
  ];
  return Object.fromEntries(
    names.map((name) => [name, checksums.find(({ table }) => table === name)?.rows ?? 0]),
  );
}
