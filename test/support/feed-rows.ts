import type { TestDatabase } from './database.ts';

/** A row of `moves` without its position; times in any form the database reads. */
export interface FeedRow {
  /** Null of an event of an alert. */
  assetId: number | null;
  kind?: 'moved' | 'corrected' | 'alert_opened' | 'alert_acknowledged' | 'alert_closed' | 'alert_withdrawn';
  part?: number;
  parts?: number;
  recordedAt?: string;
  sealedAt?: string;
  locationId?: number | null;
  since?: string | null;
  lastSeen?: string | null;
  previousLocationId?: number | null;
  durationSeconds?: number | null;
  /** As `db/timescale/schema/tables/moves.sql` describes. */
  rows?: object | null;
}

/**
 * Appends to the feed of an organization and announces it, as one transaction, by plain SQL: for tests of who reads it,
 * of shapes that are tedious to come by.
 *
 * @returns the new head.
 */
export async function appendMoves(
  database: TestDatabase,
  orgId: number,
  rows: readonly FeedRow[],
): Promise<number> {
  const [sealed] = await database.rows<{ head: number }>(
    `with head as (
       insert into move_heads as feed (org_id, head, sealed_at, complete_since)
       values ($1, json_array_length($2), now(), now())
       on conflict (org_id) do update set head = feed.head + json_array_length($2), sealed_at = now()
       returning head
     ), sealed as (
       insert into moves (org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at, location_id, since,
         last_seen, previous_location_id, duration_seconds, rows)
       select $1, head - json_array_length($2) + index, coalesce(row."sealedAt", now()), row."assetId",
         coalesce(row.kind, 'moved'), coalesce(row.part, 1), coalesce(row.parts, 1), coalesce(row."recordedAt", now()),
         row."locationId", row.since, row."lastSeen", row."previousLocationId", row."durationSeconds", row.rows
       from head, rows from (json_to_recordset($2) as ("assetId" int, kind text, part int, parts int,
         "recordedAt" timestamptz, "sealedAt" timestamptz, "locationId" int, since timestamptz, "lastSeen" timestamptz,
         "previousLocationId" int, "durationSeconds" bigint, rows json)) with ordinality as row ("assetId", kind, part,
         parts, "recordedAt", "sealedAt", "locationId", since, "lastSeen", "previousLocationId", "durationSeconds", rows,
         index)
       returning position, sealed_at
     ), days as (
       insert into move_days (org_id, day, first_position)
       select $1, (sealed_at at time zone 'UTC')::date, min(position) from sealed
       where not exists (
         select from move_days where org_id = $1 and day = (sealed.sealed_at at time zone 'UTC')::date)
       group by 2
       returning day
     )
     select head, pg_notify('moves_sealed', $1 || ':' || head) from head, (select count(*) from days) counted`,
    [orgId, JSON.stringify(rows)],
  );
  return sealed?.head ?? 0;
}
