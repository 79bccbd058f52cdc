import { MICROS_PER_DAY, type Micros } from '../../base/instant.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import type { Transition } from '../../domain/tracking/history/history.ts';
import { AlreadyStored, recordScans } from '../../domain/tracking/record.ts';
import type { Outcome, Scan } from '../../domain/tracking/scan.ts';
import type { TestDatabase } from './database.ts';

export const RULES = { lateness: 30 * MICROS_PER_DAY, retention: 30 * MICROS_PER_DAY };

/** Records a batch as a process does: one transaction, again where the recorder asks for it. */
export function record(database: TestDatabase, scans: readonly Scan[], now?: Micros): Promise<Outcome[]> {
  return inTransaction(
    database.pool,
    (client, attempt) =>
      recordScans(client, scans, {
        rules: RULES,
        now: now ?? Math.max(...scans.map(({ receivedAt }) => receivedAt)),
        isCareful: attempt > 1,
      }),
    (error) => error instanceof AlreadyStored,
  );
}

/** A read of a fixed reader, received when it was observed unless said otherwise. */
export function aRead(
  read: { orgId: number; readerId: number; value: string; locationId: number | null; at: Micros } & {
    antenna?: number;
    rssi?: number | null;
    receivedAt?: Micros;
    tagType?: Scan['tagType'];
  },
): Scan {
  return {
    orgId: read.orgId,
    tagType: read.tagType ?? 'rfid',
    value: read.value,
    locationId: read.locationId,
    deviceTime: read.at,
    receivedAt: read.receivedAt ?? read.at,
    rssi: read.rssi ?? null,
    source: {
      kind: 'reader',
      readerId: read.readerId,
      antenna: read.antenna ?? 1,
      isShutOut: false,
      reportUnknown: true,
      isRedelivery: false,
    },
  };
}

/** The stored history of an asset, oldest first. */
export async function storedHistory(database: TestDatabase, assetId: number): Promise<Transition[]> {
  return database.rows(
    `select micros_of_time(observed_at) as "observedAt", location_id as "locationId",
       duration_seconds as "durationSeconds"
     from location_transitions where asset_id = $1 order by observed_at`,
    [assetId],
  );
}

/** The stored position of an asset: place, since when, last seen. */
export async function storedPosition(database: TestDatabase, assetId: number) {
  const [position] = await database.rows<{ locationId: number; since: Micros; lastSeen: Micros }>(
    `select location_id as "locationId", micros_of_time(since) as since, micros_of_time(last_seen) as "lastSeen"
     from positions where asset_id = $1`,
    [assetId],
  );
  return position;
}
