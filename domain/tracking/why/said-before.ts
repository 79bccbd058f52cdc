import type { Micros } from '../../../base/instant.ts';
import { LeastFirst } from '../../../base/least-first.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { positionAt } from '../feed/position-at.ts';
import type { AssetRef } from '../history/asset-ref.ts';

/** An earlier answer for where an asset was at an instant. */
export interface SaidBefore {
  /** Null: nowhere. */
  locationId: number | null;
  until: Micros;
}

/** The most events, and rows of history, to read. */
const MOST = 10_000;

/** Bytes of the events' rows as JSON: some 100,000 rows, of the 10 million that this many events may have. */
const MOST_BYTES = 4_000_000;

/** Earlier answers, newest first, reversed at the end. */
const MOST_CHANGES = 50;

/**
 * Earlier answers for an instant, from the events of the feed: they are undone one by one, newest first, and the row in
 * force at the instant is looked up each time. Answers from before the instant do not count.
 */
export async function saidBefore(db: Connection, asset: AssetRef, at: Micros): Promise<SaidBefore[]> {
  const events = await readEvents(db, asset, at);
  const undone = events.reduce((sum, { added }) => sum + added.length, 0);
  const rows = await readRows(db, asset, at, undone + 1);
  return saidOf(events, rows);
}

/**
 * @param events newest first, with rows up to the instant only.
 * @param rows the last ones up to the instant, {@link MOST} or as many as were added, and one more.
 */
export function saidOf(
  events: readonly EventUndone[],
  rows: readonly { at: Micros; location_id: number }[],
): SaidBefore[] {
  const undoing = new RowsUndone();
  for (const { at, location_id: location } of rows) {
    undoing.set(at, location);
  }
  const said: SaidBefore[] = [];
  let now = undoing.last();
  let taken = 0;
  for (const { recordedAt, added, removed, changed } of events) {
    taken += added.length;
    if (taken >= MOST || said.length > MOST_CHANGES) {
      break;
    }
    for (const [instant] of added) {
      undoing.delete(instant);
    }
    for (const [instant, location] of removed) {
      undoing.set(instant, location);
    }
    for (const [instant, , , before] of changed) {
      undoing.set(instant, before);
    }
    const before = undoing.last();
    if (before !== now) {
      said.push({ locationId: before, until: recordedAt });
      now = before;
    }
  }
  // Nothing was said before it was first seen.
  return said.toReversed().filter(({ locationId }, index) => index > 0 || locationId !== null);
}

/** Locations by instant. Finds the last without a scan: there are 10,000 events, each with its last. */
class RowsUndone {
  readonly #locations = new Map<Micros, number>();
  /** Includes deleted instants until they come first. */
  readonly #latest = new LeastFirst<Micros>((one, other) => other - one);

  set(instant: Micros, location: number): void {
    if (!this.#locations.has(instant)) {
      this.#latest.add(instant);
    }
    this.#locations.set(instant, location);
  }

  delete(instant: Micros): void {
    this.#locations.delete(instant);
  }

  /** The location of the last instant; null if there is none. */
  last(): number | null {
    while (this.#latest.first !== undefined && !this.#locations.has(this.#latest.first)) {
      this.#latest.removeFirst();
    }
    return this.#latest.first === undefined ? null : (this.#locations.get(this.#latest.first) ?? null);
  }
}

export interface EventUndone {
  recordedAt: Micros;
  added: readonly (readonly [Micros, number])[];
  removed: readonly (readonly [Micros, number])[];
  changed: readonly (readonly [Micros, number, number | null, number])[];
}

interface EventRow {
  recorded_at: Micros;
  since: Micros | null;
  location_id: number | null;
  rows: string | null;
}

/**
 * Newest first; only what bears on rows up to the instant. The sealer may not have got to the last of them yet.
 *
 * Of the moves recorded since then, those that bear on the instant come first: each begins a later stay than the one
 * before, unless the end of the history was taken back in between. Corrections are found by an index of their own.
 */
async function readEvents(db: Connection, { orgId, assetId }: AssetRef, at: Micros): Promise<EventUndone[]> {
  const position = await positionAt(db, orgId, at);
  const ofAsset = sql.fragment`org_id = ${orgId} and asset_id = ${assetId}`;
  const sealedSince = sql.fragment`${ofAsset} and position > ${position} and sealed_at >= time_of_micros(${at})`;
  const events = await db.any(sql.type(rowsOf<EventRow>())`
    select micros_of_time(recorded_at) as recorded_at, micros_of_time(since) as since, location_id, rows
    from (
      select *, sum(octet_length(rows::text)) over newest_first as bytes, row_number() over newest_first as number
      from (
        select * from (
          select recorded_at, since, location_id, rows, null::bigint as position, id, part from unsealed_moves where ${ofAsset}
          union all
          (select recorded_at, since, location_id, rows, position, null, part from moves
           where ${sealedSince} and rows is not null
           order by position desc limit ${MOST})
          union all
          (select recorded_at, since, location_id, rows, position, null, part from moves
           where ${sealedSince} and rows is null and position < coalesce((
             select position from (
               select position, rows is null and since > time_of_micros(${at}) as is_later from moves
               where ${sealedSince} order by position limit ${MOST}
             ) first
             where is_later order by position limit 1
           ), 9223372036854775807)
           order by position limit ${MOST})
        ) event
        where recorded_at >= time_of_micros(${at}) and (rows is not null or since <= time_of_micros(${at}))
        order by position desc nulls first, id desc, part desc
        limit ${MOST}
      ) event
      window newest_first as (order by position desc nulls first, id desc, part desc)
    ) event
    where coalesce(bytes, 0) <= ${MOST_BYTES}
    order by number`);
  return events.map(({ recorded_at: recordedAt, since, location_id: location, rows }) => {
    const rowChanges: Partial<Omit<EventUndone, 'recordedAt'>> =
      rows === null ? { added: [[since ?? 0, location ?? 0]] } : JSON.parse(rows);
    const upTo = <Row extends readonly [Micros, ...unknown[]]>(list: readonly Row[] | undefined) =>
      (list ?? []).filter(([instant]) => instant <= at);
    return {
      recordedAt,
      added: upTo(rowChanges.added),
      removed: upTo(rowChanges.removed),
      changed: upTo(rowChanges.changed),
    };
  });
}

function readRows(
  db: Connection,
  { orgId, assetId }: AssetRef,
  at: Micros,
  count: number,
): Promise<readonly { at: Micros; location_id: number }[]> {
  return db.any(sql.type(rowsOf<{ at: Micros; location_id: number }>())`
    select micros_of_time(observed_at) as at, location_id from location_transitions
    where org_id = ${orgId} and asset_id = ${assetId} and observed_at <= time_of_micros(${at})
    order by observed_at desc limit ${Math.min(count, MOST)}`);
}
