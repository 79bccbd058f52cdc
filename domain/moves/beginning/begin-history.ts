import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Rows of a history in one event (`parts` of a change). */
const ROWS_OF_EVENT = 1_000;

export interface Begun {
  assets: number;
  events: number;
  transitions: number;
  /** Of the event written last; null if there was none to write. */
  last_id: number | null;
}

/** Locks the positions of those assets that are not in the feed yet, in the same order as recorders. */
export async function lockNotInFeed(
  transaction: Connection,
  orgId: number,
  assetIds: readonly number[],
): Promise<readonly number[]> {
  const rows = await transaction.any(sql.prepared('lock-not-in-feed', rowsOf<{ asset_id: number }>())`
    select position.asset_id
    from (
      select asset_id from unnest(${sql.binary(integers(assetIds))}::integer[]) as given (asset_id)
      order by asset_id
    ) wanted
    cross join lateral (
      select asset_id from positions
      where org_id = ${orgId} and asset_id between wanted.asset_id and wanted.asset_id and not is_in_feed
      order by asset_id limit 1
      for no key update
    ) position`);
  return rows.map((row) => row.asset_id);
}

/**
 * Writes each asset's whole history to the feed, as one correction that adds all rows, and makes recorders tell the
 * feed of every change from now on. Nothing moves: the asset stays where it was. An asset without history gets no
 * event.
 *
 * A separate statement after the lock, so that it sees what the lock's previous holders wrote.
 */
export function beginHistories(
  transaction: Connection,
  orgId: number,
  assetIds: readonly number[],
): Promise<Begun> {
  return transaction.one(sql.prepared('begin-histories', rowsOf<Begun>())`
    with asset as materialized (
      select position.asset_id, position.location_id, position.since, position.last_seen,
        greatest(position.told_at, clock_timestamp()) as told_at, nextval('unsealed_moves_id_seq') as id
      from unnest(${sql.binary(integers(assetIds))}::integer[]) as locked (asset_id)
        cross join lateral (
          select * from positions where org_id = ${orgId} and asset_id = locked.asset_id offset 0
        ) position
    ), numbered as (
      select asset.asset_id, transition.*,
        (row_number() over (partition by asset.asset_id order by transition.observed_at) - 1) / ${ROWS_OF_EVENT} as part
      from asset cross join lateral (
        select observed_at, location_id, duration_seconds from location_transitions
        where org_id = ${orgId} and asset_id = asset.asset_id offset 0
      ) transition
    ), parted as (
      select asset_id, part, count(*) as transitions, count(*) over (partition by asset_id) as parts,
        json_build_object('added', json_agg(
          json_build_array(micros_of_time(observed_at), location_id, duration_seconds) order by observed_at)) as rows
      from numbered group by asset_id, part
    ), unsealed as (
      insert into unsealed_moves (id, part, parts, org_id, asset_id, kind, recorded_at, location_id, since, last_seen,
        previous_location_id, rows)
      select asset.id, parted.part + 1, parted.parts, ${orgId}, asset_id, 'corrected', asset.told_at, asset.location_id,
        asset.since, asset.last_seen, asset.location_id, parted.rows
      from asset join parted using (asset_id)
      returning id
    ), begun as (
      update positions set is_in_feed = true, told_at = asset.told_at
      from asset
      where positions.org_id = ${orgId} and positions.asset_id = asset.asset_id
      returning 1
    )
    select (select count(*) from begun) as assets, (select count(*) from unsealed) as events,
      (select coalesce(sum(transitions), 0)::bigint from parted) as transitions, (select max(id) from unsealed) as last_id`);
}
