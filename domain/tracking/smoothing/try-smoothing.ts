import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetRef } from '../history/asset-ref.ts';
import { history, type Stay } from '../history/history.ts';
import { countingScans, type Seen } from './counting.ts';
import { recordedScans } from './recorded-scans.ts';
import { MAX_WINDOW, type SmoothingSettings } from './settings.ts';

/** From one place to another; where an asset is first seen at all is no move. */
export interface Move {
  observedAt: Micros;
  fromLocationId: number;
  toLocationId: number;
}

/** What other settings would make of a part of an asset's recorded scans; each list in order of time. */
export interface TriedMoves {
  /** Moves there are, and would be, at the same time. */
  kept: Move[];
  disappearing: Move[];
  /** Moves there are not now, most of them later forms of one that disappears. */
  appearing: Move[];
}

/** A stretch of time, both ends included. */
export interface Period {
  from: Micros;
  to: Micros;
}

/**
 * Reads an asset's recorded scans page by page and compares its moves in `period` under two settings, a page's moves at
 * a time, so that memory grows neither with the scans nor with the moves. Both begin with the stay that is stored from
 * before. Nothing is written.
 */
export async function* trySmoothing(
  db: Connection,
  asset: AssetRef,
  period: Period,
  settings: { present: SmoothingSettings; proposed: SmoothingSettings },
): AsyncGenerator<TriedMoves> {
  const stay = await stayBefore(db, asset, period.from);
  const present = new MovesSoFar(settings.present, stay, period);
  const proposed = new MovesSoFar(settings.proposed, stay, period);
  const wide = { from: period.from - MAX_WINDOW, to: period.to + MAX_WINDOW };
  for await (const page of recordedScans(db, asset, wide)) {
    yield compared(present.after(page), proposed.after(page));
  }
  yield compared(present.atEnd(), proposed.atEnd());
}

/** Moves as scans come in order of time, page by page. */
class MovesSoFar {
  readonly #settings: SmoothingSettings;
  readonly #period: Period;
  #stay: Stay | null;
  /** Scans that are not settled yet, after those that bear on them. */
  #scans: Seen[] = [];
  /** Whether a scan counts is settled up to here. */
  #settled: Micros;

  constructor(settings: SmoothingSettings, stay: Stay | null, period: Period) {
    this.#settings = settings;
    this.#stay = stay;
    this.#period = period;
    this.#settled = period.from - 1;
  }

  /** The moves that `page` settles. */
  after(page: readonly Seen[]): Move[] {
    this.#scans.push(...page);
    return this.#settle((page.at(-1)?.observedAt ?? this.#settled) - MAX_WINDOW);
  }

  /** The rest, when there are no more scans. */
  atEnd(): Move[] {
    return this.#settle(Number.POSITIVE_INFINITY);
  }

  #settle(upTo: Micros): Move[] {
    const end = Math.min(upTo, this.#period.to);
    if (end <= this.#settled) {
      return [];
    }
    const counting = countingScans(this.#scans, this.#settings).filter(
      ({ observedAt }) => observedAt > this.#settled && observedAt <= end,
    );
    this.#settled = end;
    this.#scans = this.#scans.filter(({ observedAt }) => observedAt >= end - MAX_WINDOW);
    return history(counting, this.#stay).flatMap((transition) => {
      const before = this.#stay;
      this.#stay = { locationId: transition.locationId, since: transition.observedAt };
      return before === null ? [] : [moveOf(before, this.#stay)];
    });
  }
}

function moveOf(before: Stay, { since, locationId }: Stay): Move {
  return { observedAt: since, fromLocationId: before.locationId, toLocationId: locationId };
}

function compared(present: readonly Move[], proposed: readonly Move[]): TriedMoves {
  const now = new Set(present.map(nameOf));
  const then = new Set(proposed.map(nameOf));
  return {
    kept: present.filter((move) => then.has(nameOf(move))),
    disappearing: present.filter((move) => !then.has(nameOf(move))),
    appearing: proposed.filter((move) => !now.has(nameOf(move))),
  };
}

function nameOf({ observedAt, fromLocationId, toLocationId }: Move): string {
  return `${observedAt} ${fromLocationId} ${toLocationId}`;
}

async function stayBefore(db: Connection, { orgId, assetId }: AssetRef, from: Micros): Promise<Stay | null> {
  const row = await db.maybeOne(sql.prepared('stay-before', rowsOf<{ since: Micros; location_id: number }>())`
    select micros_of_time(observed_at) as since, location_id from location_transitions
    where org_id = ${orgId} and asset_id = ${assetId} and observed_at < time_of_micros(${from})
    order by observed_at desc limit 1`);
  return row === null ? null : { locationId: row.location_id, since: row.since };
}
