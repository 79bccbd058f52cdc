import { append } from '../../../base/append.ts';
import { leastOf } from '../../../base/extremes.ts';
import type { Micros } from '../../../base/instant.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Stay } from '../history/history.ts';
import { compareWalk, type Walked } from './compare-walk.ts';
import { locationsBelow } from './locations-below.ts';
import { placeLocations } from './read-site.ts';
import { type Pair, type PairCounts, PairTally } from './tally-pairs.ts';
import { countAssetsToTry, sitesToTry, type Trial, type TriedAsset, tryOnAssets } from './try-on-assets.ts';
import type { Period, TriedMove, TriedMoves } from './try-setting.ts';

export interface TrialBounds {
  /** The most tried scans: the period ends before the first one beyond. Null: any number. */
  scans: number | null;
  assets: number;
  /** Moves that are listed, in order of assets. */
  moves: number;
  pairs: number;
  worst: number;
}

export interface ListedMove extends TriedMove {
  assetId: number;
  externalKey: string;
  change: 'disappears' | 'appears';
}

/** An asset with its stays in the period, under both settings. The first may have begun before. */
export interface WorstAsset extends Pick<AssetMoves, 'assetId' | 'externalKey' | 'counts'> {
  present: Stay[];
  proposed: Stay[];
  /** Later moves are counted but not listed; null if all are listed. */
  toldUntil: Micros | null;
}

export interface TrialSummary {
  /** The examined part, which may end before the requested one. */
  covered: Period & { scans: number; assets: number; of: number; mostScans: number | null };
  /** Null if all of it was. */
  cutBy: 'scans' | 'assets' | 'time' | null;
  /** Without unchanged moves elsewhere, if the setting is tried on a location. */
  totals: PairCounts;
  /** The pairs within the location that the setting is tried on. */
  inside: PairCounts;
  /** Moves back to where an asset had left at most 30 s before. */
  returns: { present: number; proposed: number };
  pairs: Pair[];
  /** Pairs that are not listed. */
  others: PairCounts;
  moves: ListedMove[];
  movesLeftOut: number;
  worst: WorstAsset[];
  /** For a trial of one asset. */
  walk: Walked[] | null;
}

/**
 * Tries a setting on the recorded scans as {@link tryOnAssets} does, within bounds, and sums up its effect. Nothing is
 * written.
 *
 * @param isTimeUp asked after each asset; then the result covers the assets so far.
 * @throws AppError `invalid_input`.
 */
export async function runTrial(
  db: Connection,
  trial: Omit<Trial, 'goesOn'>,
  bounds: TrialBounds,
  {
    isTimeUp,
    onProgress,
  }: {
    isTimeUp: () => boolean;
    onProgress: (progress: { assets: number; of: number; until: Micros }) => void;
  },
): Promise<TrialSummary> {
  const { orgId } = trial;
  const period = await boundPeriod(db, trial, bounds.scans);
  const sites = await sitesToTry(db, trial);
  const of = await countAssetsToTry(db, trial, period);
  const tally = new PairTally();
  const worst = new WorstAssets(bounds.worst);
  const list = { moves: [] as ListedMove[], movesLeftOut: 0 };
  const returns = { present: 0, proposed: 0 };
  let scans = 0;
  let assets = 0;
  const cut = { by: period.to < trial.period.to ? ('scans' as TrialSummary['cutBy']) : null };
  const goesOn = (looked: number) => {
    assets = looked;
    onProgress({ assets, of, until: period.to });
    if (looked < of && (looked >= bounds.assets || isTimeUp())) {
      cut.by = looked >= bounds.assets ? 'assets' : 'time';
      return false;
    }
    return true;
  };
  const { isInside, isOfIt } = insideOf(trial.locationId, sites.present);
  for await (const tried of tryOnAssets(db, { ...trial, period, goesOn }, sites)) {
    scans += tried.scans;
    await placeLocations(db, orgId, sites.present, endsOf(tried));
    returns.present += tried.returns.present.filter(isOfIt).length;
    returns.proposed += tried.returns.proposed.filter(isOfIt).length;
    // The setting cannot change the others.
    const kept = tried.kept.filter(isOfIt);
    tally.add({ ...tried, kept });
    worst.add(tried, kept.length);
    addMoves(list, changesOf(tried), bounds.moves);
  }
  const pairs = tally.pairs();
  const rest = pairs.slice(bounds.pairs);
  return {
    covered: { ...period, scans, assets, of, mostScans: bounds.scans },
    cutBy: cut.by,
    totals: sumOf([...pairs, tally.others()]),
    inside: sumOf(pairs.filter((pair) => isInside(pair.fromLocationId) && isInside(pair.toLocationId))),
    pairs: pairs.slice(0, bounds.pairs),
    others: sumOf([...rest, tally.others()]),
    ...list,
    returns,
    worst: worst.worst().map(withStays),
    walk:
      trial.assetId === null ? [] : await compareWalk(db, { orgId, assetId: trial.assetId }, period, sites),
  };
}

function insideOf(locationId: number | null, present: Awaited<ReturnType<typeof sitesToTry>>['present']) {
  const isInside = (id: number) => locationId === null || present.above(id).includes(locationId);
  return {
    isInside,
    isOfIt: (move: TriedMove) => isInside(move.fromLocationId) || isInside(move.toLocationId),
  };
}

function addMoves(
  list: { moves: ListedMove[]; movesLeftOut: number },
  moves: Iterable<ListedMove>,
  most: number,
): void {
  for (const move of moves) {
    if (list.moves.length < most) {
      list.moves.push(move);
    } else {
      list.movesLeftOut += 1;
    }
  }
}

function endsOf({ kept, disappearing, appearing }: TriedAsset): { locationId: number }[] {
  return [...kept, ...disappearing, ...appearing].flatMap(({ fromLocationId, toLocationId }) => [
    { locationId: fromLocationId },
    { locationId: toLocationId },
  ]);
}

function changesOf({ assetId, externalKey, disappearing, appearing }: TriedAsset): ListedMove[] {
  return [
    ...disappearing.map((move) => ({ ...move, assetId, externalKey, change: 'disappears' as const })),
    ...appearing.map((move) => ({ ...move, assetId, externalKey, change: 'appears' as const })),
  ].toSorted((a, b) => a.observedAt - b.observedAt);
}

function sumOf(all: readonly PairCounts[]): PairCounts {
  const sum = (column: keyof PairCounts) => all.reduce((total, counts) => total + counts[column], 0);
  return { kept: sum('kept'), redated: sum('redated'), removed: sum('removed'), added: sum('added') };
}

function withStays({ assetId, externalKey, counts, all, present, proposed, first }: AssetMoves): WorstAsset {
  const ends = [
    present.length < all.present ? present.at(-1) : undefined,
    proposed.length < all.proposed ? proposed.at(-1) : undefined,
  ].flatMap((last) => last?.observedAt ?? []);
  const toldUntil = ends.length === 0 ? null : leastOf(ends);
  const stays = (begin: Stay | null, moves: readonly TriedMove[]) => [
    ...(begin === null ? [] : [begin]),
    ...moves
      .filter(({ observedAt }) => toldUntil === null || observedAt <= toldUntil)
      .map(({ observedAt, toLocationId }) => ({ since: observedAt, locationId: toLocationId })),
  ];
  return {
    assetId,
    externalKey,
    counts,
    present: stays(first.present, present),
    proposed: stays(first.proposed, proposed),
    toldUntil,
  };
}

/** The part of the period that contains at most `most` scans of what is tried. */
async function boundPeriod(
  db: Connection,
  { orgId, locationId, assetId, period }: Omit<Trial, 'goesOn'>,
  most: number | null,
): Promise<Period> {
  if (most === null) {
    return period;
  }
  const isTried =
    locationId === null
      ? sql.fragment`true`
      : sql.fragment`location_id in ${locationsBelow(orgId, locationId)}`;
  // Scans of readers and of handhelds have an index by time each, and an asset has one of both.
  const kinds =
    assetId === null
      ? [sql.fragment`reader_id is not null`, sql.fragment`submission_id is not null`]
      : [sql.fragment`asset_id = ${assetId}`];
  let { to } = period;
  for (const isOfKind of kinds) {
    const end = await scanAfter(db, orgId, period, most, { isOfKind, isTried });
    to = Math.min(to, end === null ? to : end - 1);
  }
  return { from: period.from, to };
}

/** Scans elsewhere that may be read per tried scan. */
const ELSEWHERE = 5;

/** The time of the first scan beyond `most`, or beyond the most that may be searched; null if there are no more. */
async function scanAfter(
  db: Connection,
  orgId: number,
  { from, to }: Period,
  most: number,
  { isOfKind, isTried }: { isOfKind: FragmentSqlToken; isTried: FragmentSqlToken },
): Promise<Micros | null> {
  const { at } = await db.one(sql.type(rowsOf<{ at: Micros | null }>())`
    with looked as materialized (
      select observed_at, ${isTried} as is_tried from scan_events
      where org_id = ${orgId} and observed_at between time_of_micros(${from}) and time_of_micros(${to}) and ${isOfKind}
      order by observed_at limit ${ELSEWHERE * most + 1}
    )
    select micros_of_time(least(
      (select observed_at from looked where is_tried order by observed_at offset ${most} limit 1),
      (select observed_at from looked order by observed_at offset ${ELSEWHERE * most} limit 1)
    )) as at`);
  return at;
}

/** An asset's moves with both settings, in order of time. */
interface AssetMoves {
  assetId: number;
  externalKey: string;
  present: TriedMove[];
  proposed: TriedMove[];
  first: TriedMoves['first'];
  /** Also counts pairs beyond the kept ones. */
  all: { present: number; proposed: number };
  /** As in {@link TrialSummary.totals}. */
  counts: { present: number; proposed: number; removed: number; added: number };
}

/** Moves kept of an asset, of each kind: more than a picture can show. */
const MOST_MOVES = 1_000;

/** Keeps the assets whose number of moves a setting changes most; of equal ones those that move most. */
class WorstAssets {
  readonly #most: number;
  #worst: AssetMoves[] = [];
  #current: AssetMoves | null = null;

  constructor(most: number) {
    this.#most = most;
  }

  /** @param counted moves that both have and that count; pictures show the others too. */
  add({ assetId, externalKey, kept, disappearing, appearing, first }: TriedAsset, counted: number): void {
    if (this.#current?.assetId !== assetId) {
      this.#finish();
      const counts = { present: 0, proposed: 0, removed: 0, added: 0 };
      const all = { present: 0, proposed: 0 };
      this.#current = { assetId, externalKey, present: [], proposed: [], first, all, counts };
    }
    (this.#current as AssetMoves).first = first;
    const { present, proposed, all, counts } = this.#current as AssetMoves;
    all.present += kept.length + disappearing.length;
    all.proposed += kept.length + appearing.length;
    counts.present += counted + disappearing.length;
    counts.proposed += counted + appearing.length;
    counts.removed += disappearing.length;
    counts.added += appearing.length;
    keep(present, kept, disappearing);
    keep(proposed, kept, appearing);
  }

  /** The worst first. */
  worst(): readonly AssetMoves[] {
    this.#finish();
    return this.#worst;
  }

  #finish(): void {
    const current = this.#current;
    this.#current = null;
    if (current !== null && current.counts.present + current.counts.proposed > 0) {
      this.#worst = [...this.#worst, current].toSorted(byBadness).slice(0, this.#most);
    }
  }
}

function keep(moves: TriedMove[], ...more: readonly (readonly TriedMove[])[]): void {
  const room = MOST_MOVES - moves.length;
  if (room > 0) {
    const ordered = more.flat().toSorted((a, b) => a.observedAt - b.observedAt);
    append(moves, ordered.slice(0, room));
  }
}

function byBadness({ counts: a }: AssetMoves, { counts: b }: AssetMoves): number {
  const change = (counts: AssetMoves['counts']) => Math.abs(counts.present - counts.proposed);
  const all = (counts: AssetMoves['counts']) => counts.removed + counts.added;
  return change(b) - change(a) || all(b) - all(a) || b.present + b.proposed - a.present - a.proposed;
}
