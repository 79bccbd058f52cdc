import { greatestOf, leastOf } from '../../../base/extremes.ts';
import { bigints, integers } from '../../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { isAlertKind } from '../../moves/alert-event.ts';
import { eventOf, FEED_TYPES, type FeedType, type MoveRow } from '../../moves/event.ts';
import { NAMED, NAMED_COLUMNS } from '../../moves/named-moves.ts';
import { countRows, netChange } from '../../moves/net-change.ts';
import { sealedFor } from '../../moves/sealed-for.ts';
import { waitsFor } from '../../moves/settle-seconds.ts';
import { kindsOf } from '../event-types.ts';
import { LANE_OF_MOVE } from '../lanes.ts';
import {
  findBelow,
  LOOKED_THROUGH,
  MOST_BYTES,
  type Picked,
  type Settled,
  touchedBy,
  type Wanted,
} from './pick-events.ts';

export interface WantedSettled extends Wanted {
  webhookId: number;
  /** 0: merges only what was begun before. */
  settleSeconds: number;
}

/** Groups of a turn. */
const AT_ONCE = 32;

/** Events of a turn, and of a group; the rest of a longer one is sent after it. */
const MOST_EVENTS = 1_000;

/** Rows of a history that an event may name. */
const MOST_ROWS = 1_000;

/** The most events of alerts to examine. */
const MOST_ALERTS = 1_000;

/**
 * The next events of a lane whose webhook waits for `settleSeconds`:
 *
 * 1. The hold of an asset begins with its first event that was not sent, when that is sealed. Once it is over, all that is known
 *    of the asset is merged, however much came meanwhile.
 * 2. Events of alerts are sent as they are, and end what is merged before them, so that an asset's positions never go back. An
 *    alert that was opened and withdrawn within one hold is not sent, and ends nothing.
 * 3. What is merged is ordered by the first event, which is what the lane's position counts.
 *
 * Nothing is kept in memory: what waits is in the feed, and `webhook_settled` has what was sent beyond the lane's position.
 */
export async function pickSettled(
  { db, orgId }: { db: Connection; orgId: number },
  wanted: WantedSettled,
): Promise<Picked & { hasSettled: boolean }> {
  const { after, settleSeconds } = wanted;
  const kinds = kindsWanted(wanted.types);
  const alerts = kinds.alerts ? await findAlertEvents(db, orgId, wanted) : NO_ALERTS;
  const head = Math.min(wanted.head, alerts.upTo);
  const to = Math.min(head, after + LOOKED_THROUGH);
  const { found, hasNext, hasSettled } = await findFirst(db, orgId, wanted, to, kinds);
  if (!hasNext) {
    return { events: [], upTo: after, isExpired: true, hasSettled };
  }
  const undue = found.findIndex(({ dueIn, begunTo }) => dueIn > 0 && begunTo === null);
  const due = undue === -1 ? found : found.slice(0, undue);
  const waiting = undue === -1 ? undefined : found[undue];
  const lastFound = found.length === AT_ONCE ? (found.at(-1)?.first ?? to) : to;
  const upTo = waiting === undefined ? lastFound : waiting.first - 1;
  if (due.length === 0) {
    const hold = waiting === undefined ? {} : { heldFor: waiting.dueIn };
    return { events: [], upTo, isExpired: false, hasSettled, ...hold };
  }
  const groups = due.map(({ subject, first, begunTo, positions }) => ({
    ...{ subject, first, positions, isBegun: begunTo !== null },
    last: begunTo ?? (settleSeconds === 0 ? first : alerts.endOf(subject, first, head)),
  }));
  const whole = (await loadGroups(db, orgId, groups, kinds.moves)).map((group) => ({
    ...group,
    last: group.isBegun ? group.last : Math.max(group.rows.at(-1)?.position ?? 0, alerts.lastOf(group)),
  }));
  const loaded = inOrder(whole, groups, upTo);
  const nets = loaded.groups.map(({ rows: [first, ...rest] }) =>
    first === undefined ? null : netChange([first, ...rest]),
  );
  const isWanted = await wantedOf(db, orgId, wanted, nets);
  const events = loaded.groups.map(({ rows, subject, first, last, isBegun }, index) => {
    const settled = { subject, first, last, isBegun, events: rows.length };
    const net = nets[index] ?? null;
    const event = net !== null && isWanted(net) ? eventOf(net) : null;
    // Without one to be merged with, it can be judged again.
    const isKept = settleSeconds > 0 && !(event === null && first === last);
    return { event, doneTo: first, settled: isKept ? settled : null };
  });
  return { events, upTo: loaded.upTo, isExpired: false, hasSettled };
}

/** The types to ask for: all moves of an asset if any type of them is wanted, and all events of its alerts. */
function kindsWanted(types: readonly FeedType[] | null): { moves: boolean; alerts: boolean } {
  const kinds = types === null ? null : kindsOf(types);
  return {
    moves: kinds === null || kinds.some((kind) => !isAlertKind(kind)),
    alerts: kinds === null || kinds.some(isAlertKind),
  };
}

async function wantedOf(
  db: Connection,
  orgId: number,
  { types, locationId }: Wanted,
  rows: readonly (MoveRow | null)[],
): Promise<(row: MoveRow) => boolean> {
  const isOfType = (row: MoveRow) => types === null || types.includes(FEED_TYPES[row.kind]);
  if (locationId === null) {
    return isOfType;
  }
  const touchedIn = (row: MoveRow) => touchedBy(eventOf(row), row.previous_location_id);
  const touched = rows.flatMap((row) => (row === null ? [] : touchedIn(row)));
  const below = await findBelow(db, orgId, locationId, touched);
  return (row) => isOfType(row) && touchedIn(row).some((id) => below.has(id));
}

interface First {
  subject: number;
  first: number;
  /** Seconds for which it has yet to wait. */
  dueIn: number;
  /** The last position whose sending began; null if none. */
  begunTo: number | null;
  /** Its unsent events, within the bounds of a look. */
  positions: readonly number[];
}

interface FirstRow {
  subject: number;
  positions: readonly number[];
  due_in: number;
  begun_to: number | null;
}

/** The first event of each asset of the lane, and of each reader, that was not sent, in order. */
async function findFirst(
  db: Connection,
  orgId: number,
  { lane, after, webhookId, settleSeconds }: WantedSettled,
  to: number,
  kinds: { moves: boolean; alerts: boolean },
): Promise<{ found: First[]; hasNext: boolean; hasSettled: boolean }> {
  const rows = await db.any(sql.prepared(
    'find-first-unsettled',
    rowsOf<{ has_next: boolean; has_settled: boolean } & (FirstRow | { subject: null })>(),
  )`
    with event as (
      select move.position, move.sealed_at, ${SUBJECT} as subject
      from moves move
      where move.org_id = ${orgId} and move.position > ${after}::int8 and move.position <= ${to}::int8
        and ${sealedFor(orgId, after + 1, to)} and ${LANE_OF_MOVE} = ${lane}
        and case when move.asset_id is null then ${kinds.alerts}::boolean else ${kinds.moves}::boolean end
    ), unsent as (
      select event.subject, array_agg(event.position order by event.position) as positions,
        ${waitsFor(sql.fragment`(array_agg(event.sealed_at order by event.position))[1]`, settleSeconds)} as due_in,
        max(settled.last_position) filter (where settled.first_position > ${after}::int8) as begun_to
      from event
      left join webhook_settled settled on settled.org_id = ${orgId} and settled.webhook_id = ${webhookId}
        and settled.lane = ${lane} and settled.subject = event.subject
      where settled.subject is null or case when settled.first_position > ${after}::int8
        then event.position >= settled.first_position else event.position > settled.last_position end
      group by event.subject
    )
    select known.*, picked.*
    from (
      select exists (
          select from moves move where move.org_id = ${orgId} and move.position = ${after}::int8 + 1
            and ${sealedFor(orgId, after + 1, after + 1)}
        ) as has_next,
        exists (
          select from webhook_settled
          where org_id = ${orgId} and webhook_id = ${webhookId} and lane = ${lane} and last_position > ${after}::int8
        ) as has_settled
    ) known
    left join (select * from unsent order by positions[1] limit ${AT_ONCE}) picked on true
    order by picked.positions[1]`);
  return {
    hasNext: rows[0]?.has_next === true,
    hasSettled: rows[0]?.has_settled === true,
    found: rows.flatMap((row) => (row.subject === null ? [] : [toFirst(row)])),
  };
}

function toFirst({ subject, positions, due_in: dueIn, begun_to: begunTo }: FirstRow): First {
  return { subject, first: positions[0] as number, positions, dueIn, begunTo };
}

/** The asset of a `move` or of its alert; below zero a reader. */
const SUBJECT = sql.fragment`coalesce(move.asset_id, (move.rows -> 'alert' -> 0 ->> 'asset_id')::integer,
  -(move.rows -> 'alert' -> 0 ->> 'reader_id')::integer)`;

interface AlertEvents {
  /** Up to here they are known. */
  upTo: number;
  /** The latest end of a group that begins with an event. */
  endOf(subject: number, first: number, head: number): number;
  /** The last event of a group; its first position without later ones. */
  lastOf(group: Pick<Settled, 'subject' | 'first' | 'last'>): number;
}

const NO_ALERTS: AlertEvents = {
  upTo: Number.MAX_SAFE_INTEGER,
  endOf: (_subject, _first, head) => head,
  lastOf: ({ first }) => first,
};

async function findAlertEvents(
  db: Connection,
  orgId: number,
  { lane, after, head }: Wanted,
): Promise<AlertEvents> {
  const rows = await db.any(sql.prepared(
    'find-alert-events',
    rowsOf<{ position: number; subject: number; id: string; kind: string; recorded_at: number }>(),
  )`
    select move.position, ${SUBJECT} as subject, move.rows -> 'alert' -> 0 ->> 'id' as id, move.kind,
      (move.rows -> 'alert' -> 0 ->> 'recorded_at')::int8 as recorded_at
    from moves move
    where move.org_id = ${orgId} and move.asset_id is null and move.position > ${after}::int8
      and move.position <= ${head}::int8 and ${sealedFor(orgId, after + 1, head)} and ${LANE_OF_MOVE} = ${lane}
    order by move.position
    limit ${MOST_ALERTS}`);
  const overAtOnce = [...Map.groupBy(rows, ({ id }) => id).values()].flatMap(([opened, ...rest]) => {
    const isOver = rest.at(-1)?.kind === 'alert_withdrawn';
    const isSeen = rest.some(({ kind }) => kind === 'alert_acknowledged');
    return opened?.kind === 'alert_opened' && isOver && !isSeen ? [opened] : [];
  });
  const cancelled = await findBegun(db, orgId, after, overAtOnce);
  const all = Map.groupBy(rows, ({ subject }) => subject);
  const standing = Map.groupBy(
    rows.filter(({ id }) => !cancelled.has(id)),
    ({ subject }) => subject,
  );
  return {
    upTo: rows.length < MOST_ALERTS ? head : (rows.at(-1)?.position ?? head),
    endOf: (subject, first, end) => {
      const next = standing.get(subject)?.find(({ position }) => position >= first)?.position;
      return next === undefined ? end : Math.max(first, next - 1);
    },
    lastOf: ({ subject, first, last }) =>
      all.get(subject)?.findLast(({ position }) => position > first && position <= last)?.position ?? first,
  };
}

/**
 * The alerts of which no event up to `after` is about: one that becomes an alarm, or continues after all, is opened again.
 * One statement for all of them, of which a thousand events can have 500.
 */
async function findBegun(
  db: Connection,
  orgId: number,
  after: number,
  alerts: readonly { id: string; recorded_at: number }[],
): Promise<ReadonlySet<string>> {
  const ids = new Set(alerts.map(({ id }) => id));
  if (ids.size === 0) {
    return ids;
  }
  // Events before it are of other alerts.
  const since = leastOf(alerts.map(({ recorded_at: recordedAt }) => recordedAt));
  const told = await db.any(sql.prepared('find-earlier-events-of-alerts', rowsOf<{ id: string }>())`
    select distinct move.rows -> 'alert' -> 0 ->> 'id' as id
    from moves move
    where move.org_id = ${orgId} and move.asset_id is null and move.position <= ${after}::int8
      and move.position > coalesce((
        select earlier.position from moves earlier
        where earlier.org_id = ${orgId} and earlier.asset_id is null and earlier.position <= ${after}::int8
          and earlier.sealed_at < time_of_micros(${since}::int8)
        order by earlier.position desc limit 1), 0)
      and move.sealed_at >= time_of_micros(${since}::int8)
      and move.rows -> 'alert' -> 0 ->> 'id' = any(${sql.array([...ids], 'text')})`);
  return ids.difference(new Set(told.map(({ id }) => id)));
}

/** A group with the events that were loaded of it. */
interface Loaded extends Group {
  rows: readonly [MoveRow, ...MoveRow[]] | readonly [];
}

interface Group extends Omit<Settled, 'events'> {
  positions: readonly number[];
}

/**
 * The groups up to the first event that is in none, so that the lane's position never passes what was not sent.
 *
 * @returns these groups, and the position up to which every event belongs to one.
 */
function inOrder(
  loaded: readonly Loaded[],
  groups: readonly Group[],
  most: number,
): { groups: readonly Loaded[]; upTo: number } {
  const rest = groups[loaded.length];
  let upTo = rest === undefined ? most : rest.first - 1;
  const kept: Loaded[] = [];
  for (const group of loaded) {
    if (group.first > upTo) {
      break;
    }
    kept.push(group);
    const next = group.positions.find((position) => position > group.last);
    upTo = next === undefined ? upTo : Math.min(upTo, next - 1);
  }
  return { groups: kept, upTo };
}

/** The first of the groups, at least one, with their events, as many as are loaded at a time. A longer group ends early. */
async function loadGroups(
  db: Connection,
  orgId: number,
  groups: readonly Group[],
  hasMoves: boolean,
): Promise<Loaded[]> {
  const [{ first: from } = { first: 0 }] = groups;
  const to = greatestOf(groups.map(({ last }) => last));
  const rows = await db.any(sql.prepared(
    'load-settled-events',
    rowsOf<MoveRow & { number: number; of: number }>(),
  )`
    select ${NAMED_COLUMNS}, move.number, move.of
    from (
      select event.*, given.number::integer as number, count(*) over () as of,
        row_number() over (order by given.number, event.position) as place,
        sum(coalesce(octet_length(event.rows::text), 0)) over (order by given.number, event.position) as bytes
      from unnest(
        ${sql.binary(integers(groups.map(({ subject }) => subject)))}::integer[],
        ${sql.binary(bigints(groups.map(({ first }) => first)))}::bigint[],
        ${sql.binary(bigints(groups.map(({ last }) => last)))}::bigint[]
      ) with ordinality as given (subject, first, last, number)
      cross join lateral (
        (
          select * from moves move
          where move.org_id = ${orgId} and move.asset_id = given.subject
            and move.position between given.first and given.last
            and ${hasMoves}::boolean and ${sealedFor(orgId, from, to)}
          order by move.position
          limit ${MOST_EVENTS + 1}
        )
        union all
        select * from moves move
        where move.org_id = ${orgId} and move.position = given.first and given.first = given.last
          and move.asset_id is null and ${sealedFor(orgId, from, to)}
      ) event
    ) move
    ${NAMED}
    where move.place = 1 or (move.place <= ${MOST_EVENTS} and move.bytes <= ${MOST_BYTES})
    order by move.number, move.position`);
  const isCut = rows.length < (rows[0]?.of ?? 0);
  // The last group may lack events; it comes the next time, unless it is the only one.
  const whole = isCut ? Math.max(1, (rows.at(-1)?.number ?? 1) - 1) : groups.length;
  const byNumber = Map.groupBy(rows, ({ number }) => number);
  return groups.slice(0, whole).map((group, index) => {
    const own = byNumber.get(index + 1) ?? [];
    const kept = own.slice(0, countWithin(own));
    const isEnded = kept.length < own.length || (isCut && own.length > 0 && own.at(-1) === rows.at(-1));
    const last = isEnded ? (kept.at(-1)?.position ?? group.last) : group.last;
    return { ...group, last, rows: kept as readonly MoveRow[] as Loaded['rows'] };
  });
}

/** How many of the events together name no more rows than one event may; at least one. */
function countWithin(moves: readonly MoveRow[]): number {
  let sum = 0;
  const over = moves.findIndex((move, index) => {
    sum += countRows(move);
    return index > 0 && sum > MOST_ROWS;
  });
  return over === -1 ? moves.length : over;
}

interface Owner {
  orgId: number;
  webhookId: number;
  lane: number;
}

/**
 * Notes what is about to be sent, before it is. Forgets what the lane's position has passed.
 *
 * @returns false if another process has the lane, or its progress was reset: nothing was written.
 */
export async function noteSettled(
  db: Connection,
  deliverer: string,
  { orgId, webhookId, lane }: Owner,
  { subject, first, last }: Pick<Settled, 'subject' | 'first' | 'last'>,
): Promise<boolean> {
  const noted = await db.any(sql.prepared('note-settled', rowsOf<{ subject: number }>())`
    with held as (
      select position from webhook_lanes
      where org_id = ${orgId} and webhook_id = ${webhookId} and lane = ${lane}
        and deliverer = ${deliverer}::uuid and not is_reset
      for share
    ), passed as (
      delete from webhook_settled settled using held
      where settled.org_id = ${orgId} and settled.webhook_id = ${webhookId} and settled.lane = ${lane}
        and settled.last_position <= held.position and settled.subject <> ${subject}::integer
    )
    insert into webhook_settled (org_id, webhook_id, lane, subject, first_position, last_position)
    select ${orgId}, ${webhookId}, ${lane}, ${subject}::integer, ${first}::int8, ${last}::int8 from held
    on conflict (org_id, webhook_id, lane, subject) do update
    set first_position = excluded.first_position, last_position = excluded.last_position
    returning subject`);
  return noted.length > 0;
}

/** Forgets groups that the lane's position has passed. */
export async function forgetPassed(
  db: Connection,
  deliverer: string,
  { orgId, webhookId, lane }: Owner,
): Promise<void> {
  await db.exec(sql.prepared('forget-settled', NO_ROWS)`
    delete from webhook_settled settled using webhook_lanes held
    where held.org_id = ${orgId} and held.webhook_id = ${webhookId} and held.lane = ${lane}
      and held.deliverer = ${deliverer}::uuid and not held.is_reset
      and settled.org_id = held.org_id and settled.webhook_id = held.webhook_id and settled.lane = held.lane
      and settled.last_position <= held.position`);
}
