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
  location_id: number;
  location_external_key: string;
}

/**
 * The current watching of live locations that have any, sorted by key.
 *
 * @param named only those of these locations.
 */
export function listWatches(
  db: Connection,
  orgId: number,
  named: { ids: readonly number[]; keys: readonly string[] } | null = null,
): Promise<readonly ListedWatch[]> {
  return db.any(sql.type(rowsOf<ListedWatch>())`
    select location.id as location_id, location.external_key as location_external_key, ${COLUMNS}
    from locations location
    cross join lateral (
      select * from location_watches
      where org_id = ${orgId} and location_id = location.id order by valid_from desc limit 1
    ) watch
    where location.org_id = ${orgId} and location.deleted_at is null
      and (${named === null} or location.id = any (${sql.array(named?.ids ?? [], 'int4')})
        or location.external_key = any (${sql.array(named?.keys ?? [], 'text')}))
    order by location.external_key`);
}

/**
 * The live locations watched continuously, and how many of these have an enabled antenna.
 *
 * @param within a location: it and all below it. Null for all.
 */
export function countWatched(
  db: Connection,
  orgId: number,
  within: number | null,
): Promise<{ continuous: number; with_antennas: number }> {
  return db.one(sql.type(rowsOf<{ continuous: number; with_antennas: number }>())`
    with recursive looked_at (id) as (
      select ${within}::integer
      union
      select child.id from looked_at
      join locations child on child.org_id = ${orgId} and child.parent_id = looked_at.id and child.deleted_at is null
    )
    select count(*) as continuous, count(*) filter (where exists (
      select from antennas antenna
      where antenna.org_id = ${orgId} and antenna.location_id = location.id and antenna.is_enabled
    )) as with_antennas
    from (
      select distinct on (location_id) location_id, mode from location_watches
      where org_id = ${orgId} order by location_id, valid_from desc
    ) watch
    join locations location on location.org_id = ${orgId} and location.id = watch.location_id
    where watch.mode = 'continuous' and location.deleted_at is null
      and (${within === null} or location.id in (select id from looked_at))`);
}

const COLUMNS = sql.fragment`watch.mode, watch.max_gap_seconds, watch.is_learned, watch.coverage,
  micros_of_time(watch.valid_from) as valid_from`;
