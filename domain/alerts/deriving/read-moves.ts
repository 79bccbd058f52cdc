import type { Micros } from '../../../base/instant.ts';
import { bigints, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Part of a feed that alerts are not derived from yet. */
export interface Behind {
  orgId: number;
  position: number;
  head: number;
}

/** The organizations whose feeds went on; the feed of one that was never looked at begins at its head. */
export async function findBehind(db: Connection, orgIds: readonly number[]): Promise<Behind[]> {
  const ids = sql.binary(integers(orgIds));
  await db.exec(sql.prepared('begin-alert-cursors', NO_ROWS)`
    insert into alert_cursors (org_id, position)
    select given.org_id, coalesce(feed.head, 0)
    from unnest(${ids}::integer[]) as given (org_id)
      left join move_heads feed on feed.org_id = given.org_id
    where not exists (select from alert_cursors known where known.org_id = given.org_id)
    on conflict do nothing`);
  const rows = await db.any(sql.prepared(
    'find-feeds-behind',
    rowsOf<{ org_id: number; position: number; head: number }>(),
  )`
    select cursor.org_id, cursor.position, feed.head
    from unnest(${ids}::integer[]) as given (org_id)
      join alert_cursors cursor on cursor.org_id = given.org_id
      join move_heads feed on feed.org_id = given.org_id and feed.head > cursor.position`);
  return rows.map(({ org_id: orgId, ...feed }) => ({ orgId, ...feed }));
}

/**
 * An organization without rules begins at the head of its feed when it has some again, and looks at all its assets then. That
 * it has is told by a revision of the organization, so these are kept.
 */
export async function forgetOthers(db: Connection, orgIds: readonly number[]): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    delete from alert_revisions
    where subject <> 'organization' and org_id <> all (${sql.binary(integers(orgIds))}::integer[])`);
  await db.exec(sql.type(NO_ROWS)`
    delete from alert_cursors where org_id <> all (${sql.binary(integers(orgIds))}::integer[])`);
}

/** As {@link forgetOthers}, of one. */
export async function forget(db: Connection, orgId: number): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    delete from alert_revisions where org_id = ${orgId} and subject <> 'organization'`);
  await db.exec(sql.type(NO_ROWS)`delete from alert_cursors where org_id = ${orgId}`);
}

export interface ChangedHistory {
  orgId: number;
  assetId: number;
  /** Nothing before that is different. */
  since: Micros;
  /** The latest that the changes tell of. */
  until: Micros;
  /** Only rows at the end of the history. */
  isMoved: boolean;
  /** Where it came to; empty where the history was corrected. */
  locationIds: readonly number[];
}

/** The next changes of each organization, and moves its cursor on. Changes of alerts are passed over. */
export async function takeMoves(
  db: Connection,
  feeds: readonly Behind[],
  share: number,
): Promise<ChangedHistory[]> {
  const upTo = feeds.map(({ position, head }) => Math.min(head, position + share));
  const organizations = sql.binary(integers(feeds.map(({ orgId }) => orgId)));
  const rows = await db.any(sql.prepared(
    'changed-histories',
    rowsOf<{
      org_id: number;
      asset_id: number;
      since: Micros;
      until: Micros;
      is_moved: boolean;
      location_ids: readonly number[];
    }>(),
  )`
    select given.org_id, changed.asset_id, micros_of_time(changed.since) as since,
      micros_of_time(changed.until) as until, changed.is_moved, changed.location_ids
    from unnest(${organizations}::integer[],
        ${sql.binary(bigints(feeds.map(({ position }) => position)))}::bigint[],
        ${sql.binary(bigints(upTo))}::bigint[]) as given (org_id, after, upto)
      cross join lateral (
        select move.asset_id, min(coalesce(least(
            time_of_micros((move.rows -> 'added' -> 0 ->> 0)::bigint),
            time_of_micros((move.rows -> 'removed' -> 0 ->> 0)::bigint),
            time_of_micros((move.rows -> 'changed' -> 0 ->> 0)::bigint)), move.since, move.recorded_at)) as since,
          max(coalesce(move.since, move.recorded_at)) as until, bool_and(move.kind = 'moved') as is_moved,
          array_agg(distinct move.location_id) filter (where move.kind = 'moved') as location_ids
        from moves move
        where move.org_id = given.org_id and move.position > given.after and move.position <= given.upto
          and move.asset_id is not null and move.sealed_at >= coalesce((
            select day from move_days days
            where days.org_id = given.org_id and days.first_position <= given.after + 1
            order by days.first_position desc limit 1), '-infinity')
        group by move.asset_id
      ) changed`);
  await db.exec(sql.prepared('move-alert-cursors', NO_ROWS)`
    update alert_cursors set position = given.position
    from unnest(${organizations}::integer[], ${sql.binary(bigints(upTo))}::bigint[]) as given (org_id, position)
    where alert_cursors.org_id = given.org_id`);
  return rows.map((row) => ({
    ...{ orgId: row.org_id, assetId: row.asset_id, since: row.since, until: row.until },
    ...{ isMoved: row.is_moved, locationIds: row.location_ids ?? [] },
  }));
}
