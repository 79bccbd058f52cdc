import { Turns } from '../../base/each-in-turns.ts';
import type { Micros } from '../../base/instant.ts';
import {
  bigints,
  doubles,
  integers,
  smallints,
  texts,
  timestamps,
} from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { compareRssi } from './history/history.ts';
import type { Outcome, Scan } from './scan.ts';
import { tagKey } from './tag-key.ts';

/** Unknown tags kept per organization; beyond that, those not seen for the longest time are deleted. */
export const UNKNOWN_TAGS_KEPT = 10_000;

/**
 * Keeps one row for each organization and tag that could not be resolved, so that a user can attach it. Skips scans of
 * readers that do not report unknown tags, of locations' tags, and of redelivered messages.
 */
export async function recordUnknownTags(
  db: Connection,
  scans: readonly Scan[],
  outcomes: readonly Outcome[],
  kept = UNKNOWN_TAGS_KEPT,
): Promise<void> {
  const sightings: UnknownSighting[] = [];
  const turns = new Turns();
  for (let index = 0; index < scans.length; index++) {
    const sighting = sightingOf(scans[index] as Scan, outcomes[index]);
    if (sighting !== null) {
      sightings.push(sighting);
    }
    if (turns.isOver) {
      await turns.next();
    }
  }
  if (sightings.length === 0) {
    return;
  }
  const tags = [...Map.groupBy(sightings, ({ rowKey }) => rowKey).values()].map(summarise);
  await turns.next();
  const grown = await upsert(db, tags);
  if (grown.length > 0) {
    await trim(db, grown, kept);
  }
}

/**
 * A tag's last sighting wins; a `case` for each column takes a quarter less time than one sorted row for all of them.
 *
 * @returns the organizations that have more tags than before.
 */
async function upsert(db: Connection, tags: readonly Summary[]): Promise<number[]> {
  const readers = tags.map(({ scan: { source } }) => (source.kind === 'reader' ? source : null));
  const rows = await db.any(sql.prepared('record-unknown-tags', rowsOf<{ org_id: number }>())`
    with upserted as (
      insert into unknown_tags as stored (org_id, tag_type, tag_key, value, ambiguous, count,
        first_seen, last_seen, reader_id, antenna, rssi, location_id)
      select org_id, tag_type, tag_key, value, ambiguous = 1, count, first_seen, last_seen,
        reader_id, antenna, rssi, location_id
      from unnest(
        ${sql.binary(integers(tags.map(({ scan }) => scan.orgId)))}::integer[],
        ${sql.binary(texts(tags.map(({ scan }) => scan.tagType)))}::text[],
        ${sql.binary(texts(tags.map(({ key }) => key)))}::text[],
        ${sql.binary(texts(tags.map(({ scan }) => scan.value)))}::text[],
        ${sql.binary(integers(tags.map(({ ambiguous }) => (ambiguous ? 1 : 0))))}::integer[],
        ${sql.binary(bigints(tags.map(({ count }) => count)))}::bigint[],
        ${sql.binary(timestamps(tags.map(({ firstSeen }) => firstSeen)))}::timestamptz[],
        ${sql.binary(timestamps(tags.map(({ observedAt }) => observedAt)))}::timestamptz[],
        ${sql.binary(integers(readers.map((reader) => reader?.readerId ?? null)))}::integer[],
        ${sql.binary(smallints(readers.map((reader) => reader?.antenna || null)))}::smallint[],
        ${sql.binary(doubles(tags.map(({ scan }) => scan.rssi)))}::float8[],
        ${sql.binary(integers(tags.map(({ locationId }) => locationId)))}::integer[])
        as seen (org_id, tag_type, tag_key, value, ambiguous, count, first_seen, last_seen, reader_id, antenna, rssi,
        location_id)
      order by org_id, tag_type, tag_key
      on conflict (org_id, tag_type, tag_key) do update set
        count = stored.count + excluded.count,
        first_seen = least(stored.first_seen, excluded.first_seen),
        last_seen = greatest(stored.last_seen, excluded.last_seen),
        value = case when excluded.last_seen >= stored.last_seen then excluded.value else stored.value end,
        ambiguous = case when excluded.last_seen >= stored.last_seen then excluded.ambiguous else stored.ambiguous end,
        reader_id = case when excluded.last_seen >= stored.last_seen then excluded.reader_id else stored.reader_id end,
        antenna = case when excluded.last_seen >= stored.last_seen then excluded.antenna else stored.antenna end,
        rssi = case when excluded.last_seen >= stored.last_seen then excluded.rssi else stored.rssi end,
        location_id = case when excluded.last_seen >= stored.last_seen then excluded.location_id else stored.location_id end
      returning stored.org_id, xmax = 0 as is_new
    )
    select distinct org_id from upserted where is_new order by org_id`);
  return rows.map((row) => row.org_id);
}

/**
 * Skips rows that another recorder is writing: its own trim sees to them. Locks outside the ordered query, which would
 * lock the rows that OFFSET skips, too; deletes the locked rows by `ctid`, without another look-up.
 */
async function trim(db: Connection, grown: readonly number[], kept: number): Promise<void> {
  await db.exec(sql.prepared('trim-unknown-tags', NO_ROWS)`
    delete from unknown_tags where ctid = any (array(
      select old.ctid
      from unnest(${sql.binary(integers(grown))}::integer[]) as grown (org_id)
      cross join lateral (
        select tag_type, tag_key from unknown_tags where unknown_tags.org_id = grown.org_id
        order by last_seen desc offset ${kept}
      ) surplus
      cross join lateral (
        select ctid from unknown_tags
        where org_id = grown.org_id and tag_type = surplus.tag_type and tag_key = surplus.tag_key
        for update skip locked
      ) old
    ))`);
}

interface UnknownSighting {
  rowKey: string;
  key: string;
  scan: Scan;
  observedAt: Micros;
  /** Null unless it was read at a live location. */
  locationId: number | null;
  ambiguous: boolean;
}

function sightingOf(scan: Scan, outcome: Outcome | undefined): UnknownSighting | null {
  const { orgId, tagType, value, source } = scan;
  const isWorthARow = source.kind === 'handheld' || (source.reportUnknown && !source.isRedelivery);
  if (outcome === undefined || !isWorthARow || !isUnresolved(outcome)) {
    return null;
  }
  const key = tagKey(tagType, value);
  const { status, observedAt, locationId } = outcome;
  const rowKey = `${orgId} ${tagType} ${key}`;
  return { rowKey, key, scan, observedAt, locationId, ambiguous: status === 'ambiguous' };
}

function isUnresolved(outcome: Outcome): outcome is Extract<Outcome, { status: 'unknown' | 'ambiguous' }> {
  return outcome.status === 'ambiguous' || (outcome.status === 'unknown' && outcome.tagLocationId === null);
}

interface Summary extends UnknownSighting {
  firstSeen: Micros;
  count: number;
}

/** The latest sighting of a tag (of one instant the strongest), with first time and count. */
function summarise(sightings: readonly UnknownSighting[]): Summary {
  const last = sightings.reduce((best, one) =>
    (one.observedAt - best.observedAt || compareRssi(one.scan.rssi, best.scan.rssi)) > 0 ? one : best,
  );
  const firstSeen = sightings.reduce((first, { observedAt }) => Math.min(first, observedAt), last.observedAt);
  return { ...last, firstSeen, count: sightings.length };
}
