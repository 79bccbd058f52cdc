import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Watch } from './watches.ts';

export interface StoredWatch {
  mode: Watch['mode'];
  max_gap_seconds: number | null;
  is_learned: boolean;
  coverage: Watch['coverage'];
  valid_from: Micros;
}

/** Per location, ever: every look for missing assets there reads all of them. Learning stops at half, so that people have room. */
const MOST_WATCHES = 1_000;
export const MOST_LEARNED = MOST_WATCHES / 2;

/** @throws AppError `conflict` if the location's watch was changed too often. */
export async function requireRoomForWatch(
  transaction: Connection,
  { orgId, locationId }: { orgId: number; locationId: number },
): Promise<void> {
  const { count } = await transaction.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) from location_watches where org_id = ${orgId} and location_id = ${locationId}`);
  if (count >= MOST_WATCHES) {
    throw new AppError(
      'conflict',
      `The watch of location ${locationId} was set or learned ${count} times, the maximum is ${MOST_WATCHES}; create the location again`,
    );
  }
}

/** From now on, after the location's earlier settings: the past does not change. */
export function insertWatch(
  transaction: Connection,
  { orgId, locationId }: { orgId: number; locationId: number },
  { mode, maxGap, coverage, isLearned }: Watch & { isLearned: boolean },
): Promise<StoredWatch> {
  return transaction.one(sql.type(rowsOf<StoredWatch>())`
    insert into location_watches as watch (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
    select ${orgId}, ${locationId},
      greatest(clock_timestamp(), (
        select max(valid_from) + interval '1 microsecond' from location_watches
        where org_id = ${orgId} and location_id = ${locationId})),
      ${mode}, ${maxGap === null ? null : maxGap / MICROS_PER_SECOND}::integer, ${isLearned}, ${coverage}
    returning ${COLUMNS}`);
}

/** Null if nothing was set. Locked, so that only the holder of the lock can add the next one. */
export function holdLatestWatch(
  transaction: Connection,
  { orgId, locationId }: { orgId: number; locationId: number },
): Promise<StoredWatch | null> {
  return transaction.maybeOne(sql.type(rowsOf<StoredWatch>())`
    select ${COLUMNS} from location_watches watch
    where org_id = ${orgId} and location_id = ${locationId} order by valid_from desc limit 1
    for update`);
}

export interface ListedWatch extends StoredWatch {
  location_external_key: string;
}

/** The current watching of live locations that have any, sorted by key. */
export function listWatches(db: Connection, orgId: number): Promise<readonly ListedWatch[]> {
  return db.any(sql.type(rowsOf<ListedWatch>())`
    select location.external_key as location_external_key, ${COLUMNS}
    from (
      select distinct on (location_id) * from location_watches
      where org_id = ${orgId} order by location_id, valid_from desc
    ) watch
    join locations location on location.org_id = ${orgId} and location.id = watch.location_id
    where location.deleted_at is null
    order by location.external_key`);
}

const COLUMNS = sql.fragment`watch.mode, watch.max_gap_seconds, watch.is_learned, watch.coverage,
  micros_of_time(watch.valid_from) as valid_from`;
