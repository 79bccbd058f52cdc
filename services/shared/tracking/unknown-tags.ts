import type { ClientBase } from 'pg';
import type { Micros } from '../instant.ts';
import { compareRssi } from './history.ts';
import type { Outcome, Scan } from './scan.ts';
import { tagKey } from './tag-key.ts';

/** How many unknown tags are kept of an organization; beyond that those not seen for longest go. */
export const UNKNOWN_TAGS_KEPT = 10_000;

/**
 * Keeps one row for each organization and tag that scans could not be resolved to, so that a user can attach it.
 * Not for readers that do not report unknown tags, not for a location's tag, and not again for a redelivered message.
 */
export async function recordUnknownTags(
  client: ClientBase,
  scans: readonly Scan[],
  outcomes: readonly Outcome[],
  kept = UNKNOWN_TAGS_KEPT,
): Promise<void> {
  const sightings = scans.flatMap((scan, index) => sightingOf(scan, outcomes[index]));
  if (sightings.length === 0) {
    return;
  }
  const tags = [...Map.groupBy(sightings, ({ name }) => name).values()].map(summarise);
  const { rows } = await client.query<{ org_id: number; is_new: boolean }>({
    name: 'record-unknown-tags',
    text: UPSERT,
    values: [
      tags.map(({ scan }) => scan.orgId),
      tags.map(({ scan }) => scan.tagType),
      tags.map(({ key }) => key),
      tags.map(({ scan }) => scan.value),
      tags.map(({ ambiguous }) => ambiguous),
      tags.map(({ count }) => count),
      tags.map(({ firstSeen }) => firstSeen),
      tags.map(({ observedAt }) => observedAt),
      tags.map(({ scan: { source } }) => (source.kind === 'reader' ? source.readerId : null)),
      tags.map(({ scan: { source } }) => (source.kind === 'reader' ? source.antenna : null)),
      tags.map(({ scan }) => scan.rssi),
      tags.map(({ placeId }) => placeId),
    ],
  });
  const grown = new Set(rows.filter(({ is_new: isNew }) => isNew).map(({ org_id: orgId }) => orgId));
  if (grown.size > 0) {
    await client.query({ name: 'trim-unknown-tags', text: TRIM, values: [[...grown].toSorted(), kept] });
  }
}

const UPSERT = `insert into unknown_tags as stored (org_id, tag_type, tag_key, value, ambiguous, count,
    first_seen, last_seen, reader_id, antenna, rssi, location_id)
  select org_id, tag_type, tag_key, value, ambiguous, count, time_of_micros(first_seen), time_of_micros(last_seen),
    reader_id, antenna, rssi, location_id
  from unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::integer[], $10::smallint[], $11::float8[], $12::integer[])
    as seen (org_id, tag_type, tag_key, value, ambiguous, count, first_seen, last_seen, reader_id, antenna, rssi,
    location_id)
  order by org_id, tag_type, tag_key
  on conflict (org_id, tag_type, tag_key) do update set
    count = stored.count + excluded.count,
    first_seen = least(stored.first_seen, excluded.first_seen),
    last_seen = greatest(stored.last_seen, excluded.last_seen),
    (value, ambiguous, reader_id, antenna, rssi, location_id) = (
      select latest.value, latest.ambiguous, latest.reader_id, latest.antenna, latest.rssi, latest.location_id
      from (values
        (excluded.last_seen, excluded.value, excluded.ambiguous, excluded.reader_id, excluded.antenna,
          excluded.rssi, excluded.location_id),
        (stored.last_seen, stored.value, stored.ambiguous, stored.reader_id, stored.antenna, stored.rssi,
          stored.location_id)
      ) as latest (last_seen, value, ambiguous, reader_id, antenna, rssi, location_id)
      order by latest.last_seen desc limit 1)
  returning stored.org_id, xmax = 0 as is_new`;

/**
 * Rows another recorder is writing are spared: its own trim sees to them. The lock stands outside the ordered query,
 * or it would fall on the rows that OFFSET skips too. What is locked is deleted by its place in the table, at no search.
 */
const TRIM = `delete from unknown_tags where ctid = any (array(
    select old.ctid
    from unnest($1::integer[]) as grown (org_id)
    cross join lateral (
      select tag_type, tag_key from unknown_tags where unknown_tags.org_id = grown.org_id
      order by last_seen desc offset $2
    ) surplus
    cross join lateral (
      select ctid from unknown_tags
      where org_id = grown.org_id and tag_type = surplus.tag_type and tag_key = surplus.tag_key
      for update skip locked
    ) old
  ))`;

interface UnknownSighting {
  name: string;
  key: string;
  scan: Scan;
  observedAt: Micros;
  /** Where it was read, if that is a live location. */
  placeId: number | null;
  ambiguous: boolean;
}

function sightingOf(scan: Scan, outcome: Outcome | undefined): UnknownSighting[] {
  const { orgId, tagType, value, source } = scan;
  const isWorthARow = source.kind === 'handheld' || (source.reportUnknown && !source.isRedelivery);
  if (outcome === undefined || !isWorthARow || !isUnresolved(outcome)) {
    return [];
  }
  const key = tagKey(tagType, value);
  const { status, observedAt, placeId } = outcome;
  return [
    { name: `${orgId} ${tagType} ${key}`, key, scan, observedAt, placeId, ambiguous: status === 'ambiguous' },
  ];
}

function isUnresolved(outcome: Outcome): outcome is Extract<Outcome, { status: 'unknown' | 'ambiguous' }> {
  return outcome.status === 'ambiguous' || (outcome.status === 'unknown' && outcome.locationId === null);
}

/** The last sighting of a tag (of several at one instant the strongest), with the first time and the count. */
function summarise(sightings: readonly UnknownSighting[]) {
  const last = sightings.reduce((best, one) =>
    (one.observedAt - best.observedAt || compareRssi(one.scan.rssi, best.scan.rssi)) > 0 ? one : best,
  );
  const firstSeen = sightings.reduce((first, { observedAt }) => Math.min(first, observedAt), last.observedAt);
  return { ...last, firstSeen, count: sightings.length };
}
