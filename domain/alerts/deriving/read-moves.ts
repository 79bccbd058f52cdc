import type { Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { isHere } from '../../../db/timescale/queries/is-here.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { sealedFor } from '../../moves/sealed-for.ts';

/** Part of a feed that alerts are not derived from yet. */
export interface Behind {
  orgId: number;
  position: number;
  head: number;
}

/** The organizations with new events; a feed that was never read begins at its head. */
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
 * An organization whose last rule was removed begins at the head of its feed when it has rules again, and looks at all
 * its assets then. A revision of the organization announces that, so these revisions are kept.
 */
export async function forgetOthers(db: Connection, orgIds: readonly number[]): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    delete from alert_revisions revised
    where subject <> 'organization' and org_id <> all (${sql.binary(integers(orgIds))}::integer[])
      and ${isHere(sql.fragment`revised.org_id`)}`);
  await db.exec(sql.type(NO_ROWS)`
    delete from alert_cursors cursor
    where org_id <> all (${sql.binary(integers(orgIds))}::integer[]) and ${isHere(sql.fragment`cursor.org_id`)}`);
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
  /** The new locations; empty for a correction. */
  locationIds: readonly number[];
}

/** A history of which only a correction is known. */
export function revisedHistory(assetId: number, since: Micros, until = since): ChangedHistory {
  return { assetId, since, until, isMoved: false, locationIds: [] };
}

interface ChangeRow {
  asset_id: number;
  since: Micros;
  until: Micros;
  /** The new location; null for a correction. */
  location_id: number | null;
}

/**
 * Takes the next changes of an organization, and advances its cursor. Changes of alerts are skipped. Grouped here,
 * because the database takes half as long again for it.
 *
 * @param now changes of one asset before this are merged; later ones stay separate.
 */
export async function takeMoves(
  db: Connection,
  { orgId, position, head }: Behind,
  share: number,
  now: Micros,
): Promise<ChangedHistory[]> {
  const upTo = Math.min(head, position + share);
  const rows = await db.any(sql.prepared('changed-histories', rowsOf<ChangeRow>())`
    select move.asset_id, micros_of_time(case when move.rows is null then told.until else coalesce(least(
        time_of_micros((move.rows -> 'added' -> 0 ->> 0)::bigint),
        time_of_micros((move.rows -> 'removed' -> 0 ->> 0)::bigint),
        time_of_micros((move.rows -> 'changed' -> 0 ->> 0)::bigint)), told.until) end) as since,
      micros_of_time(told.until) as until, case when move.kind = 'moved' then move.location_id end as location_id
    from moves move cross join lateral (select coalesce(move.since, move.recorded_at) as until) told
    where move.org_id = ${orgId} and move.position > ${position}::int8 and move.position <= ${upTo}::int8
      and move.asset_id is not null and ${sealedFor(orgId, position + 1, upTo)}`);
  await db.exec(sql.prepared('move-alert-cursor', NO_ROWS)`
    update alert_cursors set position = ${upTo}::int8 where org_id = ${orgId}`);
  return [
    ...oneOfEachAsset(rows.filter(({ until }) => until < now)),
    ...rows.filter(({ until }) => until >= now).map(changedBy),
  ];
}

function oneOfEachAsset(rows: readonly ChangeRow[]): Iterable<ChangedHistory> {
  const changes = new Map<number, ChangedHistory>();
  for (const row of rows) {
    const before = changes.get(row.asset_id);
    changes.set(row.asset_id, before === undefined ? changedBy(row) : both(before, changedBy(row)));
  }
  return changes.values();
}

function changedBy({ asset_id: assetId, since, until, location_id: locationId }: ChangeRow): ChangedHistory {
  const isMoved = locationId !== null;
  // A row that was taken back may have been later than what there is now.
  return { assetId, since, until: Math.max(since, until), isMoved, locationIds: isMoved ? [locationId] : [] };
}

function both(one: ChangedHistory, other: ChangedHistory): ChangedHistory {
  return {
    assetId: one.assetId,
    since: Math.min(one.since, other.since),
    until: Math.max(one.until, other.until),
    isMoved: one.isMoved && other.isMoved,
    locationIds: [...one.locationIds, ...other.locationIds],
  };
}
