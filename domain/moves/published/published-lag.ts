import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface PublishedLag {
  /** Organizations whose moves were ever published. */
  feeds: number;
  /** Feeds with waiting events. */
  behind: number;
  /** Seconds for which the oldest unpublished event has been in the feed, beyond its intended wait. */
  lag: number;
}

/**
 * How far publishing over MQTT is behind the feeds of all organizations, whichever process publishes, or none.
 * Organizations that are set aside are reported separately.
 */
export async function readPublishedLag(db: Connection): Promise<PublishedLag> {
  return db.one(sql.type(rowsOf<PublishedLag>())`
    select count(*) as feeds, count(next.sealed_at) as behind,
      greatest(coalesce(extract(epoch from clock_timestamp() - min(next.sealed_at + make_interval(secs => published.settle_seconds))), 0), 0)::float8 as lag
    from mqtt_feeds published
    join organizations organization on organization.id = published.org_id and organization.deleted_at is null
    left join move_heads feed on feed.org_id = published.org_id and feed.head > published.position
      and feed.org_id not in (select org_id from publishing_faults)
    left join lateral (
      select move.sealed_at from moves move
      where move.org_id = feed.org_id and move.position = greatest(published.position + 1, feed.oldest)
        and move.sealed_at >= coalesce((
          select day from move_days
          where org_id = feed.org_id and first_position <= greatest(published.position + 1, feed.oldest)
          order by first_position desc limit 1), '-infinity')
    ) next on true`);
}
