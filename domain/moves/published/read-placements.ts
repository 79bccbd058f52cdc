import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { sealedFor } from '../sealed-for.ts';
import { waitsFor } from '../settle-seconds.ts';
import { type Placement, type PlacementRow, toPlacements } from './placement.ts';

/**
 * The placements in events, ordered by position.
 *
 * @param limit of events.
 */
export async function readPlacementsOfEvents(
  db: Connection,
  orgId: number,
  { after, limit }: { after: number; limit: number },
): Promise<{ placements: Placement[]; upTo: number }> {
  const rows = await db.any(sql.type(rowsOf<PlacementRow & { position: number }>())`
    select move.position, move.asset_id, asset.external_key, asset.name, asset.deleted_at is not null as is_deleted,
      move.recorded_at as told_at, move.location_id, move.since
    from moves move
    left join assets asset on asset.org_id = move.org_id and asset.id = move.asset_id
    where move.org_id = ${orgId} and move.position > ${after}::int8 and move.position <= ${after}::int8 + ${limit}::int8
      and ${sealedFor(orgId, after + 1, after + limit)}
    order by move.position`);
  const placed = rows.filter(({ asset_id: id }) => id !== null);
  return { placements: await toPlacements(db, orgId, placed), upTo: rows.at(-1)?.position ?? after };
}

/**
 * The placements in events that have waited for `settleSeconds`: for each asset with such an event its last
 * placement, however recent.
 *
 * An asset's events up to what was sent beyond the cursor (`told_at`) are done with, and so are those of the same
 * instant: then the last of them is given again, and nothing is sent.
 *
 * @param limit of events.
 * @returns also the seconds until the next waiting event is due, null if none waits.
 */
export async function readSettledPlacements(
  db: Connection,
  orgId: number,
  wanted: { after: number; head: number; limit: number; settleSeconds: number },
): Promise<{ placements: Placement[]; upTo: number; heldFor: number | null }> {
  const { after, head, limit, settleSeconds } = wanted;
  const events = await db.any(sql.prepared(
    'settled-events-to-publish',
    rowsOf<{ position: number; asset_id: number | null; told_at: string; due_in: number }>(),
  )`
    select move.position, move.asset_id, move.recorded_at as told_at,
      ${waitsFor(sql.fragment`move.sealed_at`, settleSeconds)} as due_in
    from moves move
    where move.org_id = ${orgId} and move.position > ${after}::int8
      and move.position <= least(${after}::int8 + ${limit}::int8, ${head}::int8)
      and ${sealedFor(orgId, after + 1, after + limit)}
    order by move.position`);
  const undue = events.findIndex(({ due_in: dueIn }) => dueIn > 0);
  const due = undue === -1 ? events : events.slice(0, undue);
  const lastDue = new Map(
    due.flatMap(({ asset_id: id, told_at: at }) => (id === null ? [] : [[id, at] as const])),
  );
  const rows = await db.any(sql.prepared('settled-placements', rowsOf<PlacementRow>())`
    select given.asset_id, asset.external_key, asset.name, asset.deleted_at is not null as is_deleted,
      last.recorded_at as told_at, last.location_id, last.since
    from unnest(${sql.array([...lastDue.keys()], 'int4')}, ${sql.array([...lastDue.values()], 'timestamptz')})
      as given (asset_id, recorded_at)
    join assets asset on asset.org_id = ${orgId} and asset.id = given.asset_id
    left join lateral (
      select max(told_at) as told_at from mqtt_topics
      where mqtt_topics.org_id = ${orgId} and mqtt_topics.asset_id = given.asset_id
    ) sent on true
    cross join lateral (
      select move.recorded_at, move.location_id, move.since, move.position from moves move
      where move.org_id = ${orgId} and move.asset_id = given.asset_id and move.position <= ${head}::int8
        and (sent.told_at is null or given.recorded_at > sent.told_at or move.recorded_at <= sent.told_at)
      order by move.position desc limit 1
    ) last
    order by last.position`);
  return {
    placements: await toPlacements(db, orgId, rows),
    upTo: due.at(-1)?.position ?? after,
    heldFor: events[undue]?.due_in ?? null,
  };
}

/** Where these assets are now. */
export async function readCurrent(
  db: Connection,
  orgId: number,
  assetIds: readonly number[],
): Promise<Placement[]> {
  const rows = await db.any(sql.type(rowsOf<PlacementRow>())`
    select asset.id as asset_id, asset.external_key, asset.name, asset.deleted_at is not null as is_deleted,
      position.told_at, position.location_id, position.since
    from assets asset
    left join positions position on position.org_id = asset.org_id and position.asset_id = asset.id
    where asset.org_id = ${orgId} and asset.id = any (${sql.array(assetIds, 'int4')})
    order by asset.id`);
  return toPlacements(db, orgId, rows);
}

/**
 * Where these assets were as far as events are published, so that later ones are still told; or where they are now, if
 * something later than what is sealed was published, or those events are not kept. A publisher that was killed may have
 * sent events beyond its cursor, so each asset's first event that was not sent is looked for from there: however many
 * follow it, none of them is read. An asset of which nothing was sent but will be is left out.
 */
export async function readPublished(
  db: Connection,
  orgId: number,
  assetIds: readonly number[],
  upTo: number,
): Promise<Placement[]> {
  const rows = await db.any(sql.prepared('published-placements', rowsOf<PlacementRow>())`
    select asset.id as asset_id, asset.external_key, asset.name, asset.deleted_at is not null as is_deleted, placed.*
    from assets asset
    left join lateral (
      select max(told_at) as told_at from mqtt_topics
      where mqtt_topics.org_id = asset.org_id and mqtt_topics.asset_id = asset.id
    ) sent on true
    left join lateral (
      select position from moves
      where moves.org_id = asset.org_id and moves.asset_id = asset.id and moves.position > ${upTo}::int8
        and moves.recorded_at > coalesce(sent.told_at, '-infinity')
      order by moves.position limit 1
    ) unsent on true
    left join lateral (
      select recorded_at, location_id, since from moves
      where moves.org_id = asset.org_id and moves.asset_id = asset.id
        and moves.position < coalesce(unsent.position, ${LAST_POSITION}::int8)
      order by moves.position desc limit 1
    ) last on last.recorded_at >= coalesce(sent.told_at, '-infinity')
    left join lateral (
      select last.recorded_at as told_at, last.location_id, last.since where last.recorded_at is not null
      union all
      select told_at, location_id, since from positions
      where positions.org_id = asset.org_id and positions.asset_id = asset.id and last.recorded_at is null
    ) placed on true
    where asset.org_id = ${orgId}::integer and asset.id = any (${sql.array(assetIds, 'int4')})
      and (last.recorded_at is not null or unsent.position is null)
    order by asset.id`);
  return toPlacements(db, orgId, rows);
}

/** No feed gets this far. */
const LAST_POSITION = Number.MAX_SAFE_INTEGER;

/** Assets that were ever placed, by id. */
export async function readPlaced(
  db: Connection,
  orgId: number,
  { after, limit }: { after: number; limit: number },
): Promise<number[]> {
  const rows = await db.any(sql.type(rowsOf<{ asset_id: number }>())`
    select asset_id from positions where org_id = ${orgId} and asset_id > ${after} order by asset_id limit ${limit}`);
  return rows.map(({ asset_id: id }) => id);
}
