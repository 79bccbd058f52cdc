import { append } from '../../../base/append.ts';
import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import { history, type Stay } from '../history/history.ts';
import { countingScans, type Seen } from './counting.ts';
import type { SmoothingSettings } from './settings.ts';

/** The first sighting of an asset is no move. */
export interface TriedMove {
  observedAt: Micros;
  fromLocationId: number;
  toLocationId: number;
}

/** Each list is in order of time. */
export interface TriedMoves {
  /** At the same time with both settings. */
  kept: TriedMove[];
  disappearing: TriedMove[];
  /** Most of them are later forms of one that disappears. */
  appearing: TriedMove[];
  /** Read for it. */
  scans: number;
}

/** Both ends included. */
export interface Period {
  from: Micros;
  to: Micros;
}

/**
 * Compares an asset's moves in `period` under two settings, page by page, so that memory grows neither with the scans
 * nor with the moves. Both start from the stay stored before the period. Nothing is written.
 */
export async function* trySmoothing(
  db: Connection,
  asset: AssetRef,
  period: Period,
  settings: { present: SmoothingSettings; proposed: SmoothingSettings },
): AsyncGenerator<TriedMoves> {
  const stay = await stayBefore(db, asset, period.from);
  // One for both, so that both are decided up to the same instant.
  const reach = Math.max(
    settings.present.reach(period.from, period.to),
    settings.proposed.reach(period.from, period.to),
  );
  const present = new MovesSoFar(settings.present, stay, period, reach);
  const proposed = new MovesSoFar(settings.proposed, stay, period, reach);
  const wide = { from: period.from - reach, to: period.to + reach };
  for await (const page of recordedScans(db, asset, wide)) {
    yield { ...compared(present.after(page), proposed.after(page)), scans: page.length };
  }
  yield { ...compared(present.atEnd(), proposed.atEnd()), scans: 0 };
}

class MovesSoFar {
  readonly #settings: SmoothingSettings;
  readonly #period: Period;
  /** How far a scan can be from those that bear on it. */
  readonly #reach: Micros;
  #stay: Stay | null;
  /** Scans not decided yet, and before them those that bear on them. */
  #scans: Seen[] = [];
  /** Up to here it is decided which scans count. */
  #decidedUpTo: Micros;

  constructor(settings: SmoothingSettings, stay: Stay | null, period: Period, reach: Micros) {
    this.#settings = settings;
    this.#stay = stay;
    this.#period = period;
    this.#reach = reach;
    this.#decidedUpTo = period.from - 1;
  }

  /** The moves up to the widest window before the end of `page`. */
  after(page: readonly Seen[]): TriedMove[] {
    append(this.#scans, page);
    return this.#decide((page.at(-1)?.observedAt ?? this.#decidedUpTo) - this.#reach);
  }

  atEnd(): TriedMove[] {
    return this.#decide(Number.POSITIVE_INFINITY);
  }

  #decide(upTo: Micros): TriedMove[] {
    const end = Math.min(upTo, this.#period.to);
    if (end <= this.#decidedUpTo) {
      return [];
    }
    const counting = countingScans(this.#scans, this.#settings).filter(
      ({ observedAt }) => observedAt > this.#decidedUpTo && observedAt <= end,
    );
    this.#decidedUpTo = end;
    this.#scans = this.#scans.filter(({ observedAt }) => observedAt >= end - this.#reach);
    return history(counting, this.#stay).flatMap((transition) => {
      const before = this.#stay;
      this.#stay = { locationId: transition.locationId, since: transition.observedAt };
      return before === null ? [] : [moveOf(before, this.#stay)];
    });
  }
}

function moveOf(before: Stay, { since, locationId }: Stay): TriedMove {
  return { observedAt: since, fromLocationId: before.locationId, toLocationId: locationId };
}

function compared(present: readonly TriedMove[], proposed: readonly TriedMove[]): Omit<TriedMoves, 'scans'> {
  const now = new Set(present.map(keyOf));
  const then = new Set(proposed.map(keyOf));
  return {
    kept: present.filter((move) => then.has(keyOf(move))),
    disappearing: present.filter((move) => !then.has(keyOf(move))),
    appearing: proposed.filter((move) => !now.has(keyOf(move))),
  };
}

function keyOf({ observedAt, fromLocationId, toLocationId }: TriedMove): string {
  return `${observedAt} ${fromLocationId} ${toLocationId}`;
}

async function stayBefore(db: Connection, { orgId, assetId }: AssetRef, from: Micros): Promise<Stay | null> {
  const row = await db.maybeOne(sql.prepared('stay-before', rowsOf<{ since: Micros; location_id: number }>())`
    select micros_of_time(observed_at) as since, location_id from location_transitions
    where org_id = ${orgId} and asset_id = ${assetId} and observed_at < time_of_micros(${from})
    order by observed_at desc limit 1`);
  return row === null ? null : { locationId: row.location_id, since: row.since };
}

interface SeenRow {
  observed_at: Micros;
  location_id: number;
  rssi: number | null;
  is_by_person: boolean;
}

function toSeen(row: SeenRow): Seen {
  return {
    observedAt: row.observed_at,
    locationId: row.location_id,
    rssi: row.rssi,
    isByPerson: row.is_by_person,
  };
}

/** Scans in memory at a time, besides those of two windows. */
const PAGE = 5_000;

/** Sorted by time. Scans of one instant are never on two pages. */
async function* recordedScans(
  db: Connection,
  { orgId, assetId }: AssetRef,
  { from, to }: { from: Micros; to: Micros },
): AsyncGenerator<Seen[]> {
  for (let start = from; start <= to; ) {
    const rows = await db.any(sql.prepared('recorded-scans', rowsOf<SeenRow>())`
      select micros_of_time(observed_at) as observed_at, location_id, rssi, handheld_id is not null as is_by_person
      from scan_events
      where org_id = ${orgId} and asset_id = ${assetId}
        and observed_at between time_of_micros(${start}) and time_of_micros(${to}) and retraction_id is null
      order by observed_at
      fetch first ${PAGE} rows with ties`);
    const seen = rows.map(toSeen);
    yield seen;
    const last = seen.length < PAGE ? undefined : seen.at(-1);
    start = last === undefined ? Number.POSITIVE_INFINITY : last.observedAt + 1;
  }
}
