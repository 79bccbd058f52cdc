import { append } from '../../../base/append.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import { DECIDING_COLUMNS, type DecidingRow, toDecidingScan } from '../history/deciding-row.ts';
import { history, type Stay } from '../history/history.ts';
import { placeLocations } from './read-site.ts';
import type { Site } from './site.ts';
import { BUCKET, bucketOf, FARTHEST, type Seen, statementsOf } from './stated-locations.ts';

/** The first statement of an asset is no move. */
export interface TriedMove {
  observedAt: Micros;
  fromLocationId: number;
  toLocationId: number;
}

/** Part of an asset's moves. Each list is in order of time. */
export interface TriedMoves {
  /** At the same time with both settings. */
  kept: TriedMove[];
  disappearing: TriedMove[];
  /** Most of them replace a move that disappears. */
  appearing: TriedMove[];
  /** The moves that return to a location that the asset had left at most {@link SOON} before. */
  returns: { present: TriedMove[]; proposed: TriedMove[] };
  /** The stays before the moves of all parts; null until there is one. */
  first: { present: Stay | null; proposed: Stay | null };
  /** Read for it. */
  scans: number;
}

/** Both ends included. */
export interface Period {
  from: Micros;
  to: Micros;
}

/** An asset that comes back within this time was hardly away. */
export const SOON: Micros = 30 * MICROS_PER_SECOND;

/**
 * Compares an asset's moves in `period` under two settings, page by page, so that memory grows neither with the scans
 * nor with the moves. Both start from the stay stored before the period. Nothing is written.
 */
export async function* trySetting(
  db: Connection,
  asset: AssetRef,
  period: Period,
  sites: TriedSites,
): AsyncGenerator<TriedMoves> {
  const stay = await stayBefore(db, asset, period.from);
  const present = new MovesSoFar(sites.present, stay, period);
  const proposed = new MovesSoFar(sites.proposed, stay, period);
  let undecided: Seen[] = [];
  let decidedTo = bucketOf(period.from) - 1;
  const decide = async (scans: number, to: number): Promise<TriedMoves> => {
    const buckets = { from: decidedTo + 1, to: Math.max(decidedTo, Math.min(to, bucketOf(period.to))) };
    const moves = compared(await present.in(undecided, buckets), await proposed.in(undecided, buckets));
    decidedTo = buckets.to;
    undecided = undecided.filter(({ observedAt }) => bucketOf(observedAt) > decidedTo - FARTHEST);
    return {
      ...moves,
      returns: { present: present.takeReturns(), proposed: proposed.takeReturns() },
      first: { present: present.first, proposed: proposed.first },
      scans,
    };
  };
  for await (const page of recordedScans(db, asset, whatBearsOn(period))) {
    await placeAtBoth(db, asset.orgId, sites, page);
    append(undecided, page);
    // The last bucket may go on in the next page.
    yield await decide(page.length, bucketOf(page.at(-1)?.observedAt ?? 0) - 1 - FARTHEST);
  }
  yield await decide(0, Number.POSITIVE_INFINITY);
}

/** The present setting and the tried one. */
export interface TriedSites {
  present: Site;
  proposed: Site;
}

export async function placeAtBoth(
  db: Connection,
  orgId: number,
  { present, proposed }: TriedSites,
  scans: readonly { locationId: number }[],
): Promise<void> {
  await placeLocations(db, orgId, present, scans);
  await placeLocations(db, orgId, proposed, scans);
}

/** The scans that the statements of a period depend on. */
export function whatBearsOn({ from, to }: Period): Period {
  return {
    from: (bucketOf(from) - FARTHEST) * BUCKET,
    to: (bucketOf(to) + FARTHEST + 1) * BUCKET - 1,
  };
}

class MovesSoFar {
  /** The stay that the moves follow. */
  first: Stay | null;
  readonly #site: Site;
  readonly #period: Period;
  #stay: Stay | null;
  #last: TriedMove | null = null;
  #returns: TriedMove[] = [];

  constructor(site: Site, stay: Stay | null, period: Period) {
    this.#site = site;
    this.#period = period;
    this.first = stay;
    this.#stay = stay;
  }

  async in(scans: readonly Seen[], buckets: { from: number; to: number }): Promise<TriedMove[]> {
    const { from, to } = this.#period;
    const { statements } = await statementsOf(scans, this.#site, buckets);
    const within = statements.filter(({ observedAt }) => observedAt >= from && observedAt <= to);
    return history(within, this.#stay).flatMap(({ observedAt, locationId }) => {
      const before = this.#stay;
      this.#stay = { locationId, since: observedAt };
      this.first ??= this.#stay;
      return before === null ? [] : [this.#moved(before, this.#stay)];
    });
  }

  /** Since this was asked last. */
  takeReturns(): TriedMove[] {
    const returns = this.#returns;
    this.#returns = [];
    return returns;
  }

  #moved(before: Stay, { since: observedAt, locationId: toLocationId }: Stay): TriedMove {
    const last = this.#last;
    const move = { observedAt, fromLocationId: before.locationId, toLocationId };
    if (last?.fromLocationId === toLocationId && observedAt - last.observedAt <= SOON) {
      this.#returns.push(move);
    }
    this.#last = move;
    return move;
  }
}

function compared(
  present: readonly TriedMove[],
  proposed: readonly TriedMove[],
): Pick<TriedMoves, 'kept' | 'disappearing' | 'appearing'> {
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

/** Scans in memory at a time, in addition to those of a minute. */
const PAGE = 5_000;

/** Sorted by time. Scans of one instant are never on two pages. */
export async function* recordedScans(
  db: Connection,
  { orgId, assetId }: AssetRef,
  { from, to }: Period,
): AsyncGenerator<Seen[]> {
  for (let start = from; start <= to; ) {
    const rows = await db.any(sql.prepared(
      'recorded-scans',
      rowsOf<DecidingRow & { observed_at: Micros; location_id: number }>(),
    )`
      select micros_of_time(near.observed_at) as observed_at, near.location_id, ${DECIDING_COLUMNS}
      from scan_events near
      where near.org_id = ${orgId} and near.asset_id = ${assetId}
        and near.observed_at between time_of_micros(${start}) and time_of_micros(${to}) and near.retraction_id is null
      order by near.observed_at
      fetch first ${PAGE} rows with ties`);
    const seen = rows.flatMap((row): Seen[] => {
      const scan = toDecidingScan(row);
      return scan === null
        ? []
        : [{ observedAt: row.observed_at, locationId: row.location_id, rssi: row.rssi, scan }];
    });
    yield seen;
    const last = seen.length < PAGE ? undefined : seen.at(-1);
    start = last === undefined ? Number.POSITIVE_INFINITY : last.observedAt + 1;
  }
}
