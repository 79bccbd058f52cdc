import { MICROS_PER_DAY, type Micros } from '../../base/instant.ts';
import type { PoolClient } from '../../db/timescale/connections/client.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { type DecidingRow, toDecidingScan } from '../../domain/tracking/history/deciding-row.ts';
import type { DecidingScan } from '../../domain/tracking/history/deciding-scan.ts';
import type { DecidedTransition, Transition } from '../../domain/tracking/history/history.ts';
import { RecentHearings } from '../../domain/tracking/location/recent-hearings.ts';
import { RecentlySeen, RecentRepeats } from '../../domain/tracking/recently-seen.ts';
import {
  AlreadyStored,
  type Recorded,
  type RecordOptions,
  recordScans,
} from '../../domain/tracking/record.ts';
import type { Outcome, Scan } from '../../domain/tracking/scan.ts';
import type { TestDatabase } from './database.ts';

/** What ingestion remembers from batch to batch. */
export type Memory = Pick<RecordOptions, 'repeats' | 'seen' | 'workload' | 'recent' | 'pace'>;

export function aMemory(): Memory {
  return { repeats: new RecentRepeats(), seen: new RecentlySeen(), recent: new RecentHearings() };
}

/** Of a writer by itself, of two that share one as lanes of a process do, of two processes, of two that remember nothing. */
export function memoriesOf(next: () => number): [alone: Memory, one: Memory, other: Memory] {
  const one = aMemory();
  const [alone, both] = [aMemory(), [one, one] as const];
  const pairs = [both, both, [one, aMemory()] as const, [{}, {}] as const];
  return [next() % 4 === 0 ? {} : alone, ...(pairs[next() % 4] ?? both)];
}

export const RULES = { lateness: 30 * MICROS_PER_DAY, retention: 30 * MICROS_PER_DAY };

/** Records a batch as a process does: one transaction, again where the recorder asks for it. */
export async function record(
  database: TestDatabase,
  scans: readonly Scan[],
  now?: Micros,
  memory?: Memory,
): Promise<Outcome[]> {
  return recordAnd(database, scans, async (_, { outcomes }) => outcomes, now, memory);
}

/** As {@link record}, and then something else before the commit. */
export function recordAnd<Result>(
  database: TestDatabase,
  scans: readonly Scan[],
  then: (client: PoolClient, recorded: Recorded) => Promise<Result>,
  now = Math.max(...scans.map(({ receivedAt }) => receivedAt)),
  memory: Memory = {},
): Promise<Result> {
  return inTransaction(
    database.pool,
    async (client, attempt) => {
      const options = { rules: RULES, now, isCareful: attempt > 1, ...memory };
      return then(client, await recordScans(client, scans, options));
    },
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

export async function storedHistory(database: TestDatabase, assetId: number): Promise<Transition[]> {
  return database.rows(
    `select micros_of_time(observed_at) as "observedAt", location_id as "locationId",
       duration_seconds as "durationSeconds"
     from location_transitions where asset_id = $1 order by observed_at`,
    [assetId],
  );
}

/** As {@link storedHistory}, with the scan that decided each row. */
export async function storedDecisions(database: TestDatabase, assetId: number): Promise<DecidedTransition[]> {
  const rows = await database.rows<Transition & DecidingRow>(
    `select micros_of_time(observed_at) as "observedAt", location_id as "locationId",
       duration_seconds as "durationSeconds", micros_of_time(received_at) as received_at, tag_type, tag_value, rssi,
       reader_id, antenna, handheld_id, submission_id, submission_index, proof
     from location_transitions where asset_id = $1 order by observed_at`,
    [assetId],
  );
  return rows.map(({ observedAt, locationId, durationSeconds, ...scan }) => ({
    observedAt,
    locationId,
    durationSeconds,
    decidedBy: toDecidingScan(scan),
  }));
}

/** What is kept of a scan that decides a transition. @param tagValue of the tag as it is stored. */
export function decidingScan(
  { receivedAt, tagType, value, rssi, source }: Scan,
  tagValue = value,
): DecidingScan {
  return {
    receivedAt,
    tagType,
    tagValue,
    rssi,
    source:
      source.kind === 'reader'
        ? { kind: 'reader', readerId: source.readerId, antenna: source.antenna }
        : source,
  };
}

export async function storedPosition(database: TestDatabase, assetId: number) {
  const [position] = await database.rows<{ locationId: number; since: Micros; lastSeen: Micros }>(
    `select location_id as "locationId", micros_of_time(since) as since, micros_of_time(last_seen) as "lastSeen"
     from positions where asset_id = $1`,
    [assetId],
  );
  return position;
}
