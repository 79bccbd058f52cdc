import { Turns } from '../../base/each-in-turns.ts';
import { slicesOf } from '../../base/slices-of.ts';
import { integers } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { isAlert } from '../moves/event.ts';
import { movesAt } from '../moves/moves-at.ts';
import { sealedFor } from '../moves/sealed-for.ts';
import { eventOf, type ObjectEvent, type Told, toldBy } from './event.ts';
import { type Filter, matches } from './filter.ts';
import { type Base, findAssets, namesFor, type Organization } from './read-names.ts';

export interface EventsWanted {
  filter: Filter;
  isDescending: boolean;
  /** Events of a page. */
  limit: number;
  /** Where the page before ended. */
  begin?: Place | undefined;
  /** Where the feed ends, if it is read from its start. */
  head?: number | undefined;
}

/** The next event to look at, in a feed up to `head`. */
export interface Place {
  position: number;
  index: number;
  head: number;
}

export interface EventPage {
  events: ObjectEvent[];
  /** Null at the end. Without any event, too, there may be more: what was looked at matches nothing. */
  next: Place | null;
  head: number;
  /** The first position that is kept. */
  oldest: number;
  /** Moves that were looked at for it, or what they told if that is more. */
  looked: number;
}

/** Moves loaded at a time, and looked at for a page. */
const AT_ONCE = 500;
const LOOKED_AT = 5_000;

/** Events that are named at a time: a single move may tell two thousand. */
const NAMED_AT_ONCE = 500;

/** Positions that a statement looks through if it does not know the assets. */
const WINDOW = 1_000;

/** Stored bytes of rows that are loaded at a time; a single move may have more. */
const MOST_BYTES = 16_384;

/** Milliseconds after which a page ends with what it has. */
const PATIENCE = 1_000;

/** Events in the order of the feed, a page of them. Whatever is stored, a page looks at so many moves at most. */
export async function readEvents(db: Organization, base: Base, wanted: EventsWanted): Promise<EventPage> {
  const { filter, isDescending, limit } = wanted;
  const { oldest, ...feed } = await readEnds(db, filter);
  const head = Math.min(wanted.begin?.head ?? wanted.head ?? feed.head, feed.head);
  const assets = filter.epcs.length === 0 ? null : await findAssets(db, base, [...(filter.epcs[0] ?? [])]);
  const startOf = (position: number) => ({
    ...{ position, index: isDescending ? Number.MAX_SAFE_INTEGER : 0, head },
  });
  let place: Place | null = wanted.begin ?? startOf(isDescending ? head : feed.first);
  const events: ObjectEvent[] = [];
  const until = performance.now() + PATIENCE;
  if (filter.isOfNothing || assets?.length === 0) {
    return { events, next: null, head, oldest, looked: 0 };
  }
  let [looked, named] = [0, 0];
  while (place !== null && looked < LOOKED_AT && performance.now() < until) {
    const range = isDescending
      ? { from: feed.first, to: Math.min(head, place.position) }
      : { from: Math.max(feed.first, place.position), to: head };
    const { told, moves, rest } = await readTold(db, range, assets, isDescending);
    looked += Math.max(moves, assets === null ? WINDOW / 10 : 1);
    const { position, index } = place;
    const ahead = told.filter(
      (each) => each.position !== position || (isDescending ? each.index <= index : each.index >= index),
    );
    const { first, seen } = await fill({ events, limit }, ahead, filter, (some) =>
      namesFor(db, db.orgId, base, some),
    );
    named += seen;
    if (first !== null) {
      place = { position: first.position, index: first.index, head };
      break;
    }
    place = rest === null ? null : startOf(rest);
  }
  return { events, next: place, head, oldest, looked: Math.max(looked, named) };
}

/** @returns the first event that is left for the next page, if there is one, and how many were looked at. */
async function fill(
  { events, limit }: { events: ObjectEvent[]; limit: number },
  ahead: readonly Told[],
  filter: Filter,
  namesOf: (told: readonly Told[]) => ReturnType<typeof namesFor>,
): Promise<{ first: Told | null; seen: number }> {
  const turns = new Turns();
  let seen = 0;
  for (const some of slicesOf(ahead, NAMED_AT_ONCE)) {
    const names = await namesOf(some);
    for (const each of some) {
      const event = eventOf(each, names);
      if (matches(event, filter)) {
        if (events.length === limit) {
          return { first: each, seen };
        }
        events.push(event);
      }
      seen++;
      await turns.next();
    }
  }
  return { first: null, seen };
}

/** The first position that is kept, the first that may matter, and the last. */
type Ends = Record<'oldest' | 'first' | 'head', number>;

async function readEnds(db: Organization, { recordTime }: Filter): Promise<Ends> {
  const since = recordTime.from === null ? '-infinity' : new Date(recordTime.from).toISOString();
  const row = await db.maybeOne(sql.prepared('find-ends-of-feed', rowsOf<Ends>())`
    select head, oldest, greatest(oldest, coalesce((
      select first_position from move_days
      where org_id = ${db.orgId} and first_position <= head and day <= (${since}::timestamptz at time zone 'UTC')::date
      order by first_position desc limit 1), 1)) as first
    from move_heads where org_id = ${db.orgId}`);
  return row ?? { oldest: 1, first: 1, head: 0 };
}

interface Range {
  from: number;
  to: number;
}

/** What the next moves tell, in the wanted order, and the position where the rest begins. */
async function readTold(
  db: Organization,
  { from, to }: Range,
  assets: readonly number[] | null,
  isDescending: boolean,
): Promise<{ told: Told[]; moves: number; rest: number | null }> {
  const window =
    assets !== null
      ? { from, to }
      : isDescending
        ? { from: Math.max(from, to - WINDOW + 1), to }
        : { from, to: Math.min(to, from + WINDOW - 1) };
  if (window.from > window.to) {
    return { told: [], moves: 0, rest: null };
  }
  const { positions, isCut } = await findPositions(db, window, assets, isDescending);
  const moves = await movesAt(db, db.orgId, positions);
  const told = moves.flatMap((move) => (isAlert(move) ? [] : toldBy(move)));
  const step = isDescending ? -1 : 1;
  const last = isCut ? positions.at(-1) : undefined;
  const rest = (last ?? (isDescending ? window.from : window.to)) + step;
  const isOver = isDescending ? rest < from : rest > to;
  return { told: isDescending ? told.reverse() : told, moves: positions.length, rest: isOver ? null : rest };
}

interface PositionRow {
  position: number;
  bytes_before: number;
  /** Among those of its asset that are found at a time; 0 if the assets are not known. */
  place: number;
}

/** At least so many moves of an asset are found at a time, and more of few assets. */
const FEWEST_OF_EACH = 50;

/** The next ones, of several assets up to where the moves found of one of them end; whether there may be more. */
async function findPositions(
  db: Organization,
  { from, to }: Range,
  assets: readonly number[] | null,
  isDescending: boolean,
): Promise<{ positions: number[]; isCut: boolean }> {
  const order = isDescending ? sql.fragment`desc` : sql.fragment`asc`;
  const within = sql.fragment`move.org_id = ${db.orgId} and move.position >= ${from}::int8 and move.position <= ${to}::int8
    and ${sealedFor(db.orgId, from, to)}`;
  const ofEach = Math.min(
    AT_ONCE,
    Math.max(FEWEST_OF_EACH, Math.ceil((2 * AT_ONCE) / (assets?.length ?? 1))),
  );
  const ranged =
    assets === null
      ? sql.fragment`
          select move.position, move.rows, 0 as place from moves move where ${within} and move.asset_id is not null
          order by move.position ${order} limit ${AT_ONCE}`
      : sql.fragment`
          select own.position, own.rows, own.place
          from unnest(${sql.binary(integers(assets))}::integer[]) asset (id)
          cross join lateral (
            select move.position, move.rows, row_number() over (order by move.position ${order}) as place
            from moves move where ${within} and move.asset_id = asset.id
            order by move.position ${order} limit ${ofEach}
          ) own
          order by own.position ${order} limit ${AT_ONCE}`;
  const rows = await db.any(sql.type(rowsOf<PositionRow>())`
    select position, place, coalesce(sum(size) over (order by position ${order}) - size, 0)::float8 as bytes_before
    from (select position, place, coalesce(pg_column_size(rows), 0) as size from (${ranged}) ranged) sized
    order by position ${order}`);
  const full = rows.findIndex(({ place }) => place === ofEach);
  const kept = rows
    .slice(0, full === -1 ? rows.length : full + 1)
    .filter(({ bytes_before: before }) => before < MOST_BYTES);
  return {
    positions: kept.map(({ position }) => position),
    isCut: full !== -1 || kept.length < rows.length || rows.length === AT_ONCE,
  };
}
