import type { OrganizationConnection } from '../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { readAssets } from '../master-data/assets/queries.ts';
import { readLocations } from '../master-data/locations/queries.ts';
import type { AssetRow, LocationRow } from '../master-data/rows.ts';
import type { FeedPage, FeedQuery } from './read-moves.ts';

/** A change of an asset or a location. */
interface Sealed {
  position: number;
  recorded_at: string;
  resource: 'asset' | 'location';
  resource_id: number;
  action: string;
}

/** With the row as it is when it is read; null if it is deleted. */
export type ChangeEvent = Sealed & { asset: AssetRow | null; location: LocationRow | null };

/** Bytes of rows after which a page takes no further event: about those of a page of moves. */
const LARGE = 131_072;

/** Bytes that a tag counts for. */
const TAG = 128;

/**
 * Reads the changes of an organization after a position, in order. Returns none if `after` has expired or is beyond the
 * head. Rows are read after the events: an event may come with a row that is newer than it, never with an older one.
 */
export async function readChanges(
  db: OrganizationConnection,
  { after, limit }: FeedQuery,
): Promise<FeedPage<ChangeEvent>> {
  const { orgId } = db;
  const rows = await db.any(sql.type(
    rowsOf<{ head: number; oldest: number } & (Sealed | { position: null })>(),
  )`
    select coalesce(feed.head, 0) as head, coalesce(feed.oldest, 1) as oldest,
      event.position, event.recorded_at, event.resource, event.resource_id, event.action
    from (select) always
    left join change_heads feed on feed.org_id = ${orgId}
    left join (
      select weighed.*, sum(weighed.bytes) over (order by weighed.position) - weighed.bytes as bytes_before
      from (
        -- Metadata is unpacked of those rows only that are few as stored: to a ninetieth at most.
        select sized.*, coalesce(octet_length(sized.metadata::text), 0) + sized.tags as bytes
        from (
          select event.*, asset.metadata, attached.tags,
            sum(coalesce(pg_column_size(asset.metadata), 0) + attached.tags)
              over (order by event.position rows between unbounded preceding and 1 preceding) as stored_before
          from change_events event
          left join assets asset on event.resource = 'asset' and asset.org_id = ${orgId} and asset.id = event.resource_id
          cross join lateral (
            select ${TAG} * count(*) as tags from (
              select from tags where tags.org_id = ${orgId} and tags.asset_id = asset.id and detached_at is null
              union all
              select from tags
              where event.resource = 'location' and tags.org_id = ${orgId} and tags.location_id = event.resource_id
                and detached_at is null
              limit ${LARGE / TAG}::int8
            ) each
          ) attached
          where event.org_id = ${orgId} and event.position > ${after}::int8
            and event.position <= ${after}::int8 + ${limit}::int8
        ) sized
        where coalesce(sized.stored_before, 0) < ${LARGE}
      ) weighed
    ) event on event.bytes_before < ${LARGE} and feed.oldest <= ${after}::int8 + 1
    order by event.position`);
  const [{ head, oldest } = { head: 0, oldest: 1 }] = rows;
  const events = rows.filter((row) => row.position !== null);
  const [assets, locations] = await Promise.all([
    liveById(await readAssets(db, idsOf(events, 'asset'))),
    liveById(await readLocations(db, idsOf(events, 'location'))),
  ]);
  return {
    events: events.map((event) => ({
      ...event,
      asset: (event.resource === 'asset' && assets.get(event.resource_id)) || null,
      location: (event.resource === 'location' && locations.get(event.resource_id)) || null,
    })),
    head,
    oldest,
  };
}

function idsOf(events: readonly Sealed[], resource: Sealed['resource']): number[] {
  return [...new Set(events.flatMap((event) => (event.resource === resource ? [event.resource_id] : [])))];
}

function liveById<Row extends { id: number; deleted_at: string | null }>(rows: readonly Row[]) {
  return new Map(rows.flatMap((row) => (row.deleted_at === null ? [[row.id, row]] : [])));
}
