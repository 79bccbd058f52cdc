import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface PublishedFeed {
  orgId: number;
  isDeleted: boolean;
  head: number;
  oldest: number;
  /** Null before publishing begins. */
  cursor: { target: string; position: number; snapshotAfter: number | null } | null;
  isOutdated: boolean;
}

interface Row {
  org_id: number;
  is_deleted: boolean;
  head: number;
  oldest: number;
  target: string | null;
  position: number;
  snapshot_after: number | null;
  is_outdated: boolean;
}

export async function readFeeds(db: Connection): Promise<PublishedFeed[]> {
  const rows = await db.any(sql.prepared('published-feeds', rowsOf<Row>())`
    select organization.id as org_id, organization.deleted_at is not null as is_deleted,
      coalesce(feed.head, 0) as head, coalesce(feed.oldest, 1) as oldest,
      published.target, published.position, published.snapshot_after,
      exists (select from mqtt_outdated where mqtt_outdated.org_id = organization.id) as is_outdated
    from organizations organization
    left join move_heads feed on feed.org_id = organization.id
    left join mqtt_feeds published on published.org_id = organization.id
    where organization.deleted_at is null or published.org_id is not null`);
  return rows.map((row) => ({
    orgId: row.org_id,
    isDeleted: row.is_deleted,
    head: row.head,
    oldest: row.oldest,
    cursor:
      row.target === null
        ? null
        : { target: row.target, position: row.position, snapshotAfter: row.snapshot_after },
    isOutdated: row.is_outdated,
  }));
}

/** Starts over with a snapshot: each asset's location when it is read, after this commit. */
export async function beginPublishing(
  db: Connection,
  orgId: number,
  { target, settleSeconds }: { target: string; settleSeconds: number },
): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    insert into mqtt_feeds (org_id, target, position, snapshot_after, settle_seconds)
    select ${orgId}, ${target}, coalesce((select head from move_heads where org_id = ${orgId}), 0), 0, ${settleSeconds}
    on conflict (org_id) do update
    set target = excluded.target, position = excluded.position, snapshot_after = excluded.snapshot_after`);
}

/** Records the intended wait, which the measured lag leaves out. */
export async function keepSettleSeconds(db: Connection, seconds: number): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    update mqtt_feeds set settle_seconds = ${seconds} where settle_seconds <> ${seconds}`);
}

export async function moveCursor(
  db: Connection,
  orgId: number,
  { position, snapshotAfter }: { position: number; snapshotAfter: number | null },
): Promise<void> {
  await db.exec(sql.prepared('move-mqtt-cursor', NO_ROWS)`
    update mqtt_feeds set position = ${position}::int8, snapshot_after = ${snapshotAfter}::int4 where org_id = ${orgId}`);
}

export async function endPublishing(db: Connection, orgId: number): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`delete from mqtt_outdated where org_id = ${orgId}`);
  await db.exec(sql.type(NO_ROWS)`delete from publishing_faults where org_id = ${orgId}`);
  await db.exec(sql.type(NO_ROWS)`delete from mqtt_feeds where org_id = ${orgId}`);
}
