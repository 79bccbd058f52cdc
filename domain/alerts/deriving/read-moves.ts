import type { Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { sealedFor } from '../../moves/sealed-for.ts';

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

/** One of which only that is known. */
export function revisedHistory(assetId: number, since: Micros, until = since): ChangedHistory {
  return { assetId, since, until, isMoved: false, locationIds: [] };
}

/**
 * The next changes of an organization, and moves its cursor on. Changes of alerts are passed over.
 *
 * @param now those of one asset before that are one; of later ones each is told apart.
 */
export async function takeMoves(
  db: Connection,
  { orgId, position, head }: Behind,
  share: number,
  now: Micros,
): Promise<ChangedHistory[]> {
  const upTo = Math.min(head, position + share);
  const rows = await db.any(sql.prepared(
    'changed-histories',
    rowsOf<{
      asset_id: number;
      since: Micros;
      until: Micros;
      is_moved: boolean;
      location_ids: readonly number[];
    }>(),
  )`
    select move.asset_id, micros_of_time(min(coalesce(least(
        time_of_micros((move.rows -> 'added' -> 0 ->> 0)::bigint),
        time_of_micros((move.rows -> 'removed' -> 0 ->> 0)::bigint),
        time_of_micros((move.rows -> 'changed' -> 0 ->> 0)::bigint)), move.since, move.recorded_at))) as since,
      micros_of_time(max(told.until)) as until, bool_and(move.kind = 'moved') as is_moved,
      array_agg(distinct move.location_id) filter (where move.kind = 'moved') as location_ids
    from moves move cross join lateral (select coalesce(move.since, move.recorded_at) as until) told
    where move.org_id = ${orgId} and move.position > ${position}::int8 and move.position <= ${upTo}::int8
      and move.asset_id is not null and ${sealedFor(orgId, position + 1, upTo)}
    group by move.asset_id, case when told.until >= time_of_micros(${now}::bigint) then move.position end`);
  await db.exec(sql.prepared('move-alert-cursor', NO_ROWS)`
    update alert_cursors set position = ${upTo}::int8 where org_id = ${orgId}`);
  return rows.map((row) => ({
    // A row that was taken back may have been later than what there is now.
    ...{ assetId: row.asset_id, since: row.since, until: Math.max(row.since, row.until) },
    ...{ isMoved: row.is_moved, locationIds: row.location_ids ?? [] },
  }));
}
