import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type FeedEvent, type FeedType, isAlert } from '../../moves/event.ts';
import { movesAt } from '../../moves/moves-at.ts';
import { sealedFor } from '../../moves/sealed-for.ts';
import { kindsOf } from '../event-types.ts';
import { LANE_OF_MOVE } from '../lanes.ts';

export interface Wanted {
  lane: number;
  /** Null for all. */
  types: readonly FeedType[] | null;
  locationId: number | null;
  after: number;
  head: number;
}

export interface Picked {
  /** In the order in which they are to be sent. */
  events: PickedEvent[];
  /** Up to here no other event is wanted. */
  upTo: number;
  /** The next position is no longer kept. */
  isExpired: boolean;
  /** Seconds for which the next event still waits. */
  heldFor?: number;
}

export interface PickedEvent {
  /** Null if nothing is sent: the merged events cancel out, or are not wanted. */
  event: FeedEvent | null;
  /** The lane's position after it is sent. */
  doneTo: number;
  /** For a waiting webhook; store it before sending. */
  settled: Settled | null;
}

/** Events sent as one: those of the subject (an asset, or below zero a reader) from `first` to `last`. */
export interface Settled {
  subject: number;
  first: number;
  last: number;
  /** How many they are. */
  events: number;
  /** Stored already: it may have been sent before, and must not change. */
  isBegun: boolean;
}

/** Events loaded at a time, and sent in one turn. */
const AT_ONCE = 32;

/** Positions that one statement looks through, of which an eighth are the lane's. */
export const LOOKED_THROUGH = 2_048;

/** Bytes of stored rows that are loaded at a time; a single event may have more. */
export const MOST_BYTES = 65_536;

/**
 * The next events of a lane after a position, up to `head` at most. Both statements are prepared: with plans made each time they took
 * PostgreSQL 60 us of an event, and now 23.
 */
export async function pickEvents(
  { db, orgId }: { db: Connection; orgId: number },
  wanted: Wanted,
): Promise<Picked> {
  const { after } = wanted;
  const to = Math.min(wanted.head, after + LOOKED_THROUGH);
  const positions = await findPositions(db, orgId, wanted, to);
  if (positions[0]?.has_next === false) {
    return { events: [], upTo: after, isExpired: true };
  }
  const rows = positions.filter((row) => row.position !== null) as PositionRow[];
  const kept = withinBytes(rows);
  const last = kept.at(-1);
  const upTo = kept.length < rows.length || rows.length === AT_ONCE ? (last?.position ?? to) : to;
  const found =
    kept.length === 0
      ? []
      : await movesAt(
          db,
          orgId,
          kept.map(({ position }) => position),
        );
  if (wanted.locationId === null || kept.length === 0) {
    return { events: found.map(asItIs), upTo, isExpired: false };
  }
  const before = new Map(kept.map((row) => [row.position, row.previous_location_id]));
  const touched = found.map((event) => touchedBy(event, before.get(event.data.position) ?? null));
  const below = await findBelow(db, orgId, wanted.locationId, touched.flat());
  return {
    events: found.filter((_, index) => touched[index]?.some((id) => below.has(id)) === true).map(asItIs),
    upTo,
    isExpired: false,
  };
}

function asItIs(event: FeedEvent): PickedEvent {
  return { event, doneTo: event.data.position, settled: null };
}

interface PositionRow {
  position: number;
  previous_location_id: number | null;
  bytes: number;
}

function findPositions(
  db: Connection,
  orgId: number,
  { lane, types, after }: Wanted,
  to: number,
): Promise<readonly (Omit<PositionRow, 'position'> & { position: number | null; has_next: boolean })[]> {
  const kinds = types === null ? null : kindsOf(types);
  const ofKind =
    kinds === null ? sql.fragment`` : sql.fragment`and move.kind = any(${sql.array(kinds, 'text')})`;
  return db.any(sql.prepared(
    kinds === null ? 'find-lane-positions' : 'find-lane-positions-of-kinds',
    rowsOf<Omit<PositionRow, 'position'> & { position: number | null; has_next: boolean }>(),
  )`
    select picked.position, picked.previous_location_id, picked.bytes, next.has_next
    from (
      select exists (
        select from moves move where move.org_id = ${orgId} and move.position = ${after + 1}
          and ${sealedFor(orgId, after + 1, after + 1)}
      ) as has_next
    ) next
    left join (
      select move.position, move.previous_location_id, coalesce(octet_length(move.rows::text), 0) as bytes
      from moves move
      where move.org_id = ${orgId} and move.position > ${after} and move.position <= ${to}
        and ${sealedFor(orgId, after + 1, to)} and ${LANE_OF_MOVE} = ${lane} ${ofKind}
      order by move.position
      limit ${AT_ONCE}
    ) picked on true
    order by picked.position`);
}

function withinBytes(rows: readonly PositionRow[]): readonly PositionRow[] {
  let sum = 0;
  const over = rows.findIndex(({ bytes }, index) => {
    sum += bytes;
    return index > 0 && sum > MOST_BYTES;
  });
  return over === -1 ? rows : rows.slice(0, over);
}

export function touchedBy(event: FeedEvent, before: number | null): number[] {
  if (isAlert(event)) {
    const { location } = event.data.alert;
    return location === null ? [] : [location.id];
  }
  const { data } = event;
  const ids = [
    data.current.location_id,
    before,
    ...[...data.added, ...data.removed, ...data.changed].map((row) => row.location_id),
    ...data.changed.map(({ was }) => was.location_id),
  ];
  return ids.filter((id) => id !== null);
}

/**
 * The location and, of the given locations and those above them, all that are below it in the tree as it is now. Walks
 * upwards, so the size of the tree does not matter, and reads what several have above them once.
 */
export async function findBelow(
  db: Connection,
  orgId: number,
  locationId: number,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await db.any(sql.prepared('find-locations-below', rowsOf<{ id: number; parent_id: number }>())`
    with recursive up as (
      select id, parent_id from locations
      where org_id = ${orgId} and id = any(${sql.array([...new Set(ids)], 'int4')}::integer[])
      union
      select parent.id, parent.parent_id from up cross join lateral (
        select id, parent_id from locations where org_id = ${orgId} and id = up.parent_id offset 0
      ) parent
      where up.id <> ${locationId}
    )
    select id, parent_id from up where parent_id is not null`);
  const children = Map.groupBy(rows, ({ parent_id: parentId }) => parentId);
  const below = new Set([locationId]);
  // A set also visits what is added on the way.
  for (const parentId of below) {
    for (const { id } of children.get(parentId) ?? []) {
      below.add(id);
    }
  }
  return below;
}
