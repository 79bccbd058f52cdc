import { append } from '../../../base/append.ts';
import { leastOf } from '../../../base/extremes.ts';
import type { Micros } from '../../../base/instant.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Stay } from '../history/history.ts';
import { compareWalk, type Walked } from './compare-walk.ts';
import { placeLocations } from './read-site.ts';
import { type Pair, type PairCounts, PairTally } from './tally-pairs.ts';
import { countAssetsToTry, sitesToTry, type Trial, type TriedAsset, tryOnAssets } from './try-on-assets.ts';
import type { Period, TriedMove, TriedMoves } from './try-setting.ts';

export interface TrialBounds {
  /** Scans of readers, and of handhelds as many: the period ends before the first beyond these. Null: any number. */
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
  /** Its later moves are counted and not told; null if all of them are. */
  toldUntil: Micros | null;
}

export interface TrialSummary {
  /** What was looked at, which may end before what was asked for. */
  covered: Period & { scans: number; assets: number; of: number };
  /** Null if all of it was. */
  cutBy: 'scans' | 'assets' | 'time' | null;
  totals: PairCounts;
  /** Those of them within the location that the setting is tried on. */
  inside: PairCounts;
  /** Moves back to where an asset had left at most 30 s before. */
  returns: TriedMoves['returns'];
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
 * Tries a setting on the recorded scans as {@link tryOnAssets} does, within bounds, and sums up what it would change.
 * Nothing is written.
 *
 * @param isTimeUp asked after each asset; then the assets so far are told of.
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
  const period = await boundPeriod(db, orgId, trial.period, bounds.scans);
  const sites = await sitesToTry(db, trial);
  const of = await countAssetsToTry(db, orgId, period);
  const tally = new PairTally();
  const worst = new WorstAssets(bounds.worst);
  const moves: ListedMove[] = [];
  let movesLeftOut = 0;
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
  for await (const tried of tryOnAssets(db, { ...trial, period, goesOn }, sites)) {
    scans += tried.scans;
    returns.present += tried.returns.present;
    returns.proposed += tried.returns.proposed;
    tally.add(tried);
    worst.add(tried);
    for (const move of changesOf(tried)) {
      if (moves.length < bounds.moves) {
        moves.push(move);
      } else {
        movesLeftOut += 1;
      }
    }
  }
  const pairs = tally.pairs();
  const { locationId } = trial;
  await placeLocations(
    db,
    orgId,
    sites.present,
    pairs.flatMap(({ fromLocationId, toLocationId }) => [
      { locationId: fromLocationId },
      { locationId: toLocationId },
    ]),
  );
  const isInside = (id: number) => locationId === null || sites.present.above(id).includes(locationId);
  const rest = pairs.slice(bounds.pairs);
  return {
    covered: { ...period, scans, assets, of },
    cutBy: cut.by,
    totals: sumOf([...pairs, tally.others()]),
    inside: sumOf(pairs.filter((pair) => isInside(pair.fromLocationId) && isInside(pair.toLocationId))),
    pairs: pairs.slice(0, bounds.pairs),
    others: sumOf([...rest, tally.others()]),
    ...{ moves, movesLeftOut },
    returns,
    worst: worst.worst().map(withStays),
    walk:
      trial.assetId === null ? [] : await compareWalk(db, { orgId, assetId: trial.assetId }, period, sites),
  };
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

function withStays({ assetId, externalKey, counts, present, proposed, first }: AssetMoves): WorstAsset {
  const ends = [
    present.length < counts.present ? present.at(-1) : undefined,
    proposed.length < counts.proposed ? proposed.at(-1) : undefined,
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

/**
 * The period up to where the organization has `most` scans in it. Readers' and handhelds' are counted apart, each along
 * its own index, so there may be up to twice as many.
 */
async function boundPeriod(
  db: Connection,
  orgId: number,
  period: Period,
  most: number | null,
): Promise<Period> {
  if (most === null) {
    return period;
  }
  const ends = [
    await scanAfter(db, orgId, period, most, sql.fragment`reader_id is not null`),
    await scanAfter(db, orgId, period, most, sql.fragment`submission_id is not null`),
  ];
  return {
    from: period.from,
    to: leastOf([period.to, ...ends.flatMap((end) => (end === null ? [] : end - 1))]),
  };
}

/** When the first scan beyond `most` was observed; null if there are no more. */
async function scanAfter(
  db: Connection,
  orgId: number,
  { from, to }: Period,
  most: number,
  isOfKind: FragmentSqlToken,
): Promise<Micros | null> {
  const row = await db.maybeOne(sql.type(rowsOf<{ at: Micros }>())`
    select micros_of_time(observed_at) as at from scan_events
    where org_id = ${orgId} and observed_at between time_of_micros(${from}) and time_of_micros(${to}) and ${isOfKind}
    order by observed_at offset ${most} limit 1`);
  return row?.at ?? null;
}

/** An asset's moves with both settings, in order of time. */
interface AssetMoves {
  assetId: number;
  externalKey: string;
  present: TriedMove[];
  proposed: TriedMove[];
  first: TriedMoves['first'];
  /** Of all, also of those beyond the ones kept here. */
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

  add({ assetId, externalKey, kept, disappearing, appearing, first }: TriedAsset): void {
    if (this.#current?.assetId !== assetId) {
      this.#finish();
      const counts = { present: 0, proposed: 0, removed: 0, added: 0 };
      this.#current = { assetId, externalKey, present: [], proposed: [], first, counts };
    }
    (this.#current as AssetMoves).first = first;
    const { present, proposed, counts } = this.#current as AssetMoves;
    counts.present += kept.length + disappearing.length;
    counts.proposed += kept.length + appearing.length;
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
