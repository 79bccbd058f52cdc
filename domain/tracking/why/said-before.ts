import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';

/** Where an asset was said to be at an instant, before it was said to be where it is said to be now. */
export interface SaidBefore {
  /** Null: nowhere. */
  locationId: number | null;
  until: Micros;
}

/** Events, and rows of history, that are looked at. */
const MOST = 10_000;

/** What was said, newest first, in the end reversed. */
const MOST_CHANGES = 50;

/**
 * What was said of an instant since then, from the events of the feed: they are undone one by one, from the last on, and
 * the row that held at the instant is looked up each time. What was said of it while it was still to come does not count.
 */
export async function saidBefore(db: Connection, asset: AssetRef, at: Micros): Promise<SaidBefore[]> {
  const events = await readEvents(db, asset, at);
  const undone = events.reduce((sum, { added }) => sum + added.length, 0);
  const rows = new Map(
    (await readRows(db, asset, at, undone + 1)).map(({ at: instant, location_id: location }) => [
      instant,
      location,
    ]),
  );
  const said: SaidBefore[] = [];
  let now = locationAt(rows);
  for (const { recordedAt, added, removed, changed } of events) {
    for (const [instant] of added) {
      rows.delete(instant);
    }
    for (const [instant, location] of removed) {
      rows.set(instant, location);
    }
    for (const [instant, , , before] of changed) {
      rows.set(instant, before);
    }
    const before = locationAt(rows);
    if (before !== now) {
      said.push({ locationId: before, until: recordedAt });
      now = before;
    }
    if (said.length > MOST_CHANGES) {
      break;
    }
  }
  // Nothing was said before it was first seen.
  return said.toReversed().filter(({ locationId }, index) => index > 0 || locationId !== null);
}

function locationAt(rows: ReadonlyMap<Micros, number>): number | null {
  let last = Number.NEGATIVE_INFINITY;
  for (const instant of rows.keys()) {
    last = Math.max(last, instant);
  }
  return rows.get(last) ?? null;
}

interface EventUndone {
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

/** Newest first; only what bears on rows up to the instant. The sealer may not have got to the last of them yet. */
async function readEvents(db: Connection, { orgId, assetId }: AssetRef, at: Micros): Promise<EventUndone[]> {
  const wanted = sql.fragment`org_id = ${orgId} and asset_id = ${assetId} and recorded_at >= time_of_micros(${at})
    and (rows is not null or since <= time_of_micros(${at}))`;
  const events = await db.any(sql.type(rowsOf<EventRow>())`
    select micros_of_time(recorded_at) as recorded_at, micros_of_time(since) as since, location_id, rows
    from (
      select recorded_at, since, location_id, rows, null::bigint as position, id, part from unsealed_moves where ${wanted}
      union all
      select recorded_at, since, location_id, rows, position, null, part from moves where ${wanted}
    ) event
    order by position desc nulls first, id desc, part desc
    limit ${MOST}`);
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
