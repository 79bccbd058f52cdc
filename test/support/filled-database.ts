import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { sealAll } from '../../domain/moves/start-sealing.ts';
import { TEST_ACTOR } from './actor.ts';
import type { TestDatabase } from './database.ts';
import { openIntake } from './intake.ts';
import { Site } from './site.ts';

/**
 * Fills a database as an installation does: readers' messages of three weeks, so that hypertables have chunks, with
 * unknown tags and rejected messages among them.
 */
export async function fillDatabase(database: TestDatabase): Promise<void> {
  const site = await Site.create(database, 'Acme "quoted", ü');
  const places = [await site.location('DOCK'), await site.location('SHELF')];
  await site.asset('PALLET', 'E280');
  await site.asset('TOTE', 'E281');
  await site.reader('portal', places);
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
  await sealAll(database.url);
  // Recorded since, and not sealed yet.
  await intake.receive('portal', JSON.stringify([{ value: 'E281', antenna: 1 }]));
  await intake.receive('portal', JSON.stringify([{ value: 'E281', antenna: 2 }]));
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
  ];
  return Object.fromEntries(
    names.map((name) => [name, checksums.find(({ table }) => table === name)?.rows ?? 0]),
  );
}
