import { append } from '../../../base/append.ts';
import { eachInTurns, Turns } from '../../../base/each-in-turns.ts';
import { greatestOf, leastOf } from '../../../base/extremes.ts';
import type { Micros } from '../../../base/instant.ts';
import { type AssetRef, assetKey } from '../history/asset-ref.ts';
import { type DecidedTransition, locationAt, type Sighting, type Stay } from '../history/history.ts';
import type { ObservedPosition } from '../history/metric-position.ts';
import type { Neighbourhood, Span } from '../history/revise.ts';
import { revise } from '../history/revise.ts';
import type { Stretch } from './load-stretches.ts';
import {
  LATENESS,
  MOST_LATENESS,
  RecentHearing,
  type RecentHearings,
  type Remembered,
  type StatedAgain,
} from './recent-hearings.ts';
import type { Site } from './site.ts';
import {
  addScans,
  BUCKET,
  type Buckets,
  bucketOf,
  FARTHEST,
  type Hearing,
  hearing,
  NEAREST,
  type Seen,
  type Statement,
  statementsIn,
  statementsOf,
} from './stated-locations.ts';

/** Answers are in the order of the stretches. */
export interface StoredStretches {
  /** Of the batch, between the steps of deciding; without it these have turns of their own. */
  turns?: Turns | undefined;
  /** Gets to know what deciding on an organization's scans cost, in microseconds. */
  decided(orgId: number, cost: number): void;
  scans(stretches: readonly Stretch[]): Promise<Seen[][]>;
  /** The transitions in each, with the last before and the first after it. */
  transitions(stretches: readonly Stretch[]): Promise<DecidedTransition[][]>;
  /** Whether an antenna read the asset five times in each five seconds, from the end of each stretch on backwards. */
  areDense(stretches: readonly Stretch[]): Promise<boolean[]>;
  /** When the asset was read in each, in order: times at least a minute apart. */
  heard(stretches: readonly Stretch[]): Promise<Pick<Stretch, 'from' | 'to'>[][]>;
  /** The instant of the last of up to `count` scans after each; null if there are none. */
  scansAhead(stretches: readonly Stretch[], count: number): Promise<(Micros | null)[]>;
  /** For each of `instants`, in their order: all scans at the last instant before it, none from before `since`. */
  lastBefore(
    instants: readonly (AssetRef & { observedAt: Micros })[],
    since: Micros,
  ): Promise<Pick<Sighting, 'observedAt' | 'locationId'>[][]>;
}

export interface AssetAtSite extends AssetRef {
  /** The newest of all its scans, the changed ones included. */
  lastSeen: Micros;
  /** The instant of the position that is stored; null if none is. */
  positionAt: Micros | null;
  site: Site;
}

export interface ChangedAsset extends AssetAtSite {
  /** The instants of its changed scans. */
  changed: readonly Micros[];
  /** The memory of it, if it may be used. */
  memory?: AssetMemory;
}

/** An asset whose changed scans are all new, so that they can be added to its remembered ones. */
export interface AssetMemory {
  recent: RecentHearings;
  added: readonly Seen[];
  stay: Stay | null;
  /** The transaction that wrote its position, and this one. */
  writer: string;
  transaction: string;
}

/**
 * Loads what {@link revise} needs of assets at locations that are decided by all of their scans; its sightings are
 * statements.
 *
 * 1. A changed scan bears on the buckets within 30 s. These are decided again, for which another 30 s around are read.
 * 2. After them the same scans state the same as before. But if they now end in another stay than is stored, the first
 *    statement after them follows another stay. Then later buckets are decided too, in pieces that grow, each read once,
 *    until the stay is the stored one again: at the next statement. That is soon, unless the scans are in doubt, so only
 *    late scans take more than one round, and seldom do.
 * 3. Looking ahead ends where the next stretch begins, which is decided anyway. So a day's late reads of one asset are
 *    each read once or twice.
 *
 *     read            [---30 s---|---30 s---*---30 s---|---30 s---]      *: changed
 *     decided again              [----------*----------]
 *     looked ahead                                     [---...-> until the stays agree
 *
 * @returns by {@link assetKey}.
 */
export async function statedNeighbourhoods(
  stored: StoredStretches,
  assets: readonly ChangedAsset[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const remembered = await rememberedNeighbourhoods(stored, assets);
  const others = assets.filter((asset) => !remembered.has(assetKey(asset)));
  const loaded = await knownOfStretches(stored, others, others.flatMap(changedStretches));
  for (const [key, known] of loaded) {
    known.remember();
    remembered.set(key, known.neighbourhood());
  }
  return remembered;
}

/**
 * The neighbourhoods of assets whose new scans affect only remembered ones. Where they end in another stay than is stored,
 * remembered scans after them are decided on, too.
 */
async function rememberedNeighbourhoods(
  stored: StoredStretches,
  assets: readonly ChangedAsset[],
): Promise<Map<string, Neighbourhood>> {
  const found = new Map<string, Neighbourhood>();
  const turns = stored.turns ?? new Turns();
  const remembered = await takeRemembered(stored, assets);
  await rememberDense(stored, assets, remembered, turns);
  let open: Restated[] = [];
  for (const [index, asset] of assets.entries()) {
    const again = await statedAgain(asset, remembered[index] ?? NOTHING, turns);
    if (again !== null) {
      open.push({ asset, again });
    }
    if (turns.isOver) {
      await turns.next();
    }
  }
  for (let count = FIRST_AHEAD; open.length > 0; count *= 8) {
    const neighbourhoods = await restatedNeighbourhoods(stored, open);
    const goingOn: Restated[] = [];
    for (const [index, restated] of open.entries()) {
      const neighbourhood = neighbourhoods[index];
      if (neighbourhood === undefined || neighbourhood === null) {
        continue;
      }
      const ends = new Set(diverging(restated.asset, neighbourhood).map(({ to }) => to));
      if (ends.size === 0) {
        found.set(assetKey(restated.asset), neighbourhood);
      } else if (await goOn(restated, ends, { count, turns })) {
        goingOn.push(restated);
      }
    }
    open = goingOn;
  }
  return found;
}

/** Buckets after those that are decided again. */
const FIRST_AHEAD = 8;

/** An asset whose remembered scans were stated again. */
interface Restated {
  asset: ChangedAsset;
  /** In order of time. */
  again: { hearing: RecentHearing; stated: StatedAgain; reported: number }[];
}

/** @returns false if not all is remembered. */
async function goOn(
  { again }: Restated,
  ends: ReadonlySet<Micros>,
  { count, turns }: { count: number; turns: Turns },
): Promise<boolean> {
  for (const [index, { hearing, stated }] of again.entries()) {
    const next = again[index + 1]?.stated.from ?? Number.POSITIVE_INFINITY;
    if (ends.has(endOfBucket(stated.to))) {
      const isStated = await hearing.goOn(stated, Math.min(count, next - 1 - stated.to), turns);
      if (!isStated) {
        return false;
      }
    }
  }
  return true;
}

/** Null where an earlier position has to be looked for. */
async function restatedNeighbourhoods(
  stored: StoredStretches,
  restated: readonly Restated[],
): Promise<(Neighbourhood | null)[]> {
  const asked: (Stretch & { neighbourhood: Neighbourhood })[] = [];
  const neighbourhoods = restated.map((each) => {
    const { orgId, assetId, memory } = each.asset;
    for (const one of each.again) {
      const { cost } = one.stated;
      stored.decided(orgId, cost - one.reported);
      one.reported = cost;
    }
    const neighbourhood = restatedNeighbourhood(each);
    const stay = memory?.stay ?? null;
    for (const { from, to } of neighbourhood?.spans ?? []) {
      if (neighbourhood !== null && stay !== null && stay.since >= from) {
        asked.push({ orgId, assetId, from, to, neighbourhood });
      }
    }
    return neighbourhood;
  });
  const transitions = asked.length === 0 ? [] : await stored.transitions(asked);
  for (const [index, { neighbourhood }] of asked.entries()) {
    neighbourhood.stored = inOrder([...neighbourhood.stored, ...(transitions[index] ?? [])]);
  }
  return neighbourhoods;
}

/** What is remembered of each, with the scans that follow late ones. */
async function takeRemembered(
  stored: Pick<StoredStretches, 'scans' | 'areDense'>,
  assets: readonly ChangedAsset[],
): Promise<Remembered[]> {
  const remembered = assets.map(({ orgId, assetId, site, memory }) =>
    memory === undefined ? NOTHING : memory.recent.take({ orgId, assetId, writer: memory.writer }, site),
  );
  const lacking = assets.flatMap(({ orgId, assetId, site, memory }, index) => {
    const { late = null, newest = null } = remembered[index] ?? NOTHING;
    const lacks = late?.lacking(memory?.added ?? [], newest?.from) ?? null;
    return late === null || lacks === null ? [] : [{ asset: { orgId, assetId }, site, late, lacks }];
  });
  const areDense = await areAllDense(
    stored,
    lacking.map(({ asset, lacks }) => stretchOf(asset, lacks.narrow)),
  );
  const growing = lacking.flatMap(({ asset, site, late, lacks: { to, narrow, wideTo } }, index) => {
    const end =
      areDense[index] === true
        ? { to, knownTo: narrow.to }
        : wideTo === null
          ? null
          : { to: wideTo, knownTo: wideTo - NEAREST };
    return end === null
      ? []
      : [{ site, late, end, stretch: stretchOf(asset, { from: late.to + 1, to: end.to }) }];
  });
  if (growing.length > 0) {
    const scans = await stored.scans(growing.map(({ stretch }) => stretch));
    for (const [index, { late, end, site }] of growing.entries()) {
      await late.extend(scans[index] ?? [], site, end);
    }
  }
  return remembered;
}

/**
 * Loads the scans around new ones of which nothing is remembered, but not a minute to either side: where an asset is read
 * often, only scans within five seconds affect a bucket, and a few reads show that it is.
 */
async function rememberDense(
  stored: StoredStretches,
  assets: readonly ChangedAsset[],
  remembered: Remembered[],
  turns: Turns,
): Promise<void> {
  const unknown = assets.flatMap((asset, index) => {
    const around = aroundUnknown(asset, remembered[index] ?? NOTHING);
    return around === null ? [] : [{ asset, index, ...around }];
  });
  const areDense = await areAllDense(
    stored,
    unknown.map(({ asset, narrow }) => stretchOf(asset, narrow)),
  );
  const dense = unknown.filter((_, index) => areDense[index]);
  await loadInParts(dense, async (some) => {
    const scans = await stored.scans(some.map(({ asset, near }) => stretchOf(asset, near)));
    for (const [part, { asset, index, span, narrow }] of some.entries()) {
      const heard = new RecentHearing(await hearing(scans[part] ?? [], asset.site, turns), span, narrow);
      const { late, newest } = remembered[index] ?? NOTHING;
      remembered[index] = Number.isFinite(span.to) ? { late: heard, newest } : { late, newest: heard };
    }
    return scans.reduce((sum, { length }) => sum + length, 0);
  });
}

/** The buckets to load if those of `narrow` are so; null if what is remembered may suffice, or they are many. */
function aroundUnknown({ memory, lastSeen }: ChangedAsset, { newest, late }: Remembered) {
  const added = memory?.added ?? [];
  const buckets = added.flatMap((scan) =>
    newest?.has(scan) || late?.has(scan) ? [] : bucketOf(scan.observedAt),
  );
  const [first, last, newestBucket] = [leastOf(buckets), greatestOf(buckets), bucketOf(lastSeen)];
  const isLate = last + FARTHEST < newestBucket;
  const near = {
    from: first - 2 * NEAREST - LATENESS,
    to: isLate ? last + 2 * NEAREST + LATENESS : newestBucket,
  };
  const isApart = (newest === null || near.to < newest.from) && !added.some((scan) => late?.has(scan));
  return buckets.length === 0 || last - first > FARTHEST || !isApart
    ? null
    : {
        near,
        narrow: { from: first - FARTHEST - LATENESS, to: Math.min(last + FARTHEST, newestBucket) },
        span: { from: near.from, to: isLate ? near.to : Number.POSITIVE_INFINITY, latest: last, first },
      };
}

async function areAllDense(
  stored: Pick<StoredStretches, 'areDense'>,
  stretches: readonly Stretch[],
): Promise<boolean[]> {
  return stretches.length === 0 ? [] : stored.areDense(stretches);
}

function stretchOf({ orgId, assetId }: AssetRef, { from, to }: Buckets): Stretch {
  return { orgId, assetId, from: startOfBucket(from), to: endOfBucket(to) };
}

const NOTHING: Remembered = { newest: null, late: null };

/**
 * Adds the new scans to what is remembered, and keeps that.
 *
 * @returns null if not all that the scans bear on is remembered. Even then they are added where they belong.
 */
async function statedAgain(
  { orgId, assetId, site, memory }: ChangedAsset,
  remembered: Remembered,
  turns: Turns,
): Promise<Restated['again'] | null> {
  if (memory === undefined) {
    return null;
  }
  const { recent, added, transaction } = memory;
  const again: Restated['again'] = [];
  let known = 0;
  for (const hearing of [remembered.late, remembered.newest]) {
    const own = hearing === null ? [] : added.filter((scan) => hearing.has(scan));
    const stated = own.length === 0 ? null : await hearing?.add(own, site, turns);
    if (hearing !== null && stated != null) {
      again.push({ hearing, stated, reported: 0 });
      known += own.length;
    }
  }
  recent.keep({ orgId, assetId, writer: transaction }, remembered);
  return known === added.length ? again : null;
}

/** Without stored transitions that may change. */
function restatedNeighbourhood({ asset: { positionAt, memory }, again }: Restated): Neighbourhood | null {
  const stay = memory?.stay ?? null;
  const spans: Span[] = [];
  let newest: ObservedPosition | undefined;
  /** Where the stored position is decided again. */
  let around: Span | undefined;
  for (const { stated } of again) {
    const { from, to, statements, positions } = stated;
    const span = { from: startOfBucket(from), to: endOfBucket(to), sightings: toSightings(statements) };
    newest = positions.at(-1) ?? newest;
    around = positionAt !== null && positionAt >= span.from && positionAt <= span.to ? span : around;
    const isWithinStay = stay !== null && stay.since < span.from;
    if (!isWithinStay || span.sightings.some(({ locationId }) => locationId !== stay.locationId)) {
      spans.push(span);
    }
  }
  const newestAt = newest?.observedAt ?? Number.NEGATIVE_INFINITY;
  if (around !== undefined && newestAt < around.from) {
    return null;
  }
  const isNewer = around !== undefined || positionAt === null || newestAt > positionAt;
  const isStayNeeded = stay !== null && spans.some(({ from }) => stay.since < from);
  return { spans, stored: isStayNeeded ? [asTransition(stay)] : [], newest: isNewer ? newest : undefined };
}

/** A stored transition that stays as it is. */
function asTransition({ since: observedAt, locationId }: Stay): DecidedTransition {
  return { observedAt, locationId, durationSeconds: null, decidedBy: null };
}

/** {@link statedNeighbourhoods} of given stretches of whole buckets, in which any scan may state something else. */
export async function neighbourhoodsOfStretches(
  stored: StoredStretches,
  assets: readonly AssetAtSite[],
  stretches: readonly Stretch[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  const known = await knownOfStretches(stored, assets, stretches);
  return new Map(await eachInTurns(known, ([key, asset]) => [key, asset.neighbourhood()] as const));
}

async function knownOfStretches(
  stored: StoredStretches,
  assets: readonly Omit<ChangedAsset, 'changed'>[],
  stretches: readonly Stretch[],
): Promise<ReadonlyMap<string, KnownOfAsset>> {
  const known = new Map(assets.map((asset) => [assetKey(asset), new KnownOfAsset(asset)]));
  let pieces = await inPieces(stored, stretches);
  for (let count = 1; pieces.length > 0; count = Math.min(8 * count, MOST_AHEAD)) {
    await learnAll(stored, known, pieces);
    const diverging = (await eachInTurns(known.values(), (asset) => asset.diverging())).flat();
    pieces =
      diverging.length === 0 ? [] : await inPieces(stored, await stretchesAhead(stored, diverging, count));
  }
  for (const asset of known.values()) {
    await asset.findLostPosition(stored);
  }
  return known;
}

async function learnAll(
  stored: StoredStretches,
  known: ReadonlyMap<string, KnownOfAsset>,
  pieces: readonly Stretch[],
): Promise<void> {
  const turns = stored.turns ?? new Turns();
  await loadInParts(pieces, async (some) => {
    const [scans, transitions] = await Promise.all([
      stored.scans(some.map((piece) => known.get(assetKey(piece))?.lacking(piece) ?? piece)),
      stored.transitions(some),
    ]);
    for (const [index, piece] of some.entries()) {
      const cost = await known
        .get(assetKey(piece))
        ?.learn(piece, scans[index] ?? [], transitions[index] ?? [], turns);
      stored.decided(piece.orgId, cost ?? 0);
      await turns.next();
    }
    return scans.reduce((sum, { length }) => sum + length, 0);
  });
}

/**
 * Loads for as many at a time as have some ten thousand scans: a minute of an asset that is read fifty times a second at a
 * dozen antennas has that many, and a batch has hundreds of assets, or ten thousand.
 *
 * @param load for some of them. @returns how many scans they had.
 */
async function loadInParts<Item>(
  items: readonly Item[],
  load: (some: readonly Item[]) => Promise<number>,
): Promise<void> {
  for (let start = 0, size = FIRST_PIECES; start < items.length; ) {
    const some = items.slice(start, start + size);
    const read = await load(some);
    start += some.length;
    size = Math.ceil(size * Math.min(4, SCANS_AT_A_TIME / Math.max(1, read)));
  }
}

const FIRST_PIECES = 8;

/** Scans in memory, some hundred bytes each. */
const SCANS_AT_A_TIME = 50_000;

const MOST_AHEAD = 4_096;

/** Half minutes with reads to search for a lost position. */
const MOST_LOOKS = 64;

async function stretchesAhead(
  stored: StoredStretches,
  diverging: readonly DivergingStretch[],
  count: number,
): Promise<Stretch[]> {
  const ends = await stored.scansAhead(diverging, count);
  return diverging.flatMap(({ orgId, assetId, to: end, next }, index) => {
    const last = ends[index] ?? null;
    return last === null
      ? []
      : [{ orgId, assetId, from: end + 1, to: Math.min(endOfBucket(bucketOf(last)), next - 1) }];
  });
}

/** Ends in another stay than is stored. */
interface DivergingStretch extends Stretch {
  /** The beginning of the next stretch that was decided. */
  next: Micros;
}

/** The buckets within 30 s of every changed instant, up to the newest scan; merged where they meet. */
function changedStretches({ orgId, assetId, changed, lastSeen }: ChangedAsset): Stretch[] {
  const stretches: Stretch[] = [];
  const newest = bucketOf(lastSeen);
  for (const instant of changed.toSorted((a, b) => a - b)) {
    const [from, to] = [
      startOfBucket(bucketOf(instant) - FARTHEST),
      endOfBucket(Math.min(bucketOf(instant) + FARTHEST, newest)),
    ];
    const last = stretches.at(-1);
    if (last !== undefined && from <= last.to + 1) {
      last.to = to;
    } else {
      stretches.push({ orgId, assetId, from, to });
    }
  }
  return stretches;
}

/**
 * Consecutive parts of stretches, so that only the scans of a minute and its surroundings are in memory. A long silence
 * is one part, however long it is.
 */
async function inPieces(
  stored: Pick<StoredStretches, 'heard'>,
  stretches: readonly Stretch[],
): Promise<Stretch[]> {
  const long = stretches.filter(({ from, to }) => to - from >= FIRST_PIECES * PIECE);
  const heard = long.length === 0 ? [] : await stored.heard(long);
  const heardIn = new Map(long.map((stretch, index) => [stretch, heard[index] ?? []]));
  return stretches.flatMap((stretch) => piecesOf(stretch, heardIn.get(stretch) ?? [stretch]));
}

function piecesOf(
  { orgId, assetId, from, to }: Stretch,
  heard: readonly Pick<Stretch, 'from' | 'to'>[],
): Stretch[] {
  const pieces: Stretch[] = [];
  let start = from;
  for (const time of heard) {
    const begin = Math.max(from, startOfBucket(bucketOf(time.from)));
    const end = Math.min(to, endOfBucket(bucketOf(time.to)));
    if (start < begin) {
      pieces.push({ orgId, assetId, from: start, to: begin - 1 });
    }
    for (let at = begin; at <= end; at += PIECE) {
      pieces.push({ orgId, assetId, from: at, to: Math.min(end, at + PIECE - 1) });
    }
    start = end + 1;
  }
  return start > to ? pieces : [...pieces, { orgId, assetId, from: start, to }];
}

const PIECE: Micros = 120 * BUCKET;

function surroundingsOf({ orgId, assetId, from, to }: Stretch): Stretch {
  return {
    ...{ orgId, assetId },
    from: startOfBucket(bucketOf(from) - FARTHEST),
    to: endOfBucket(bucketOf(to) + FARTHEST),
  };
}

export function startOfBucket(bucket: number): Micros {
  return bucket * BUCKET;
}

export function endOfBucket(bucket: number): Micros {
  return (bucket + 1) * BUCKET - 1;
}

class KnownOfAsset {
  readonly #asset: Omit<ChangedAsset, 'changed'>;
  /** By their ends. The sightings are statements. */
  readonly #spans = new Map<Micros, Span & { sightings: Sighting[] }>();
  readonly #stored = new Map<Micros, DecidedTransition>();
  /** The newest that was decided. */
  #position: ObservedPosition | null = null;

  /** The end of the last piece whose scans were asked for. */
  #askedTo: Micros = Number.NaN;
  /** Consecutive pieces, up to the last one. */
  #heard: HeardPieces | null = null;
  /** Those with the newest scans, and around the last late one. */
  #ofNewest: HeardPieces | null = null;
  #ofLate: HeardPieces | null = null;
  readonly #lateAt: Micros;

  constructor(asset: Omit<ChangedAsset, 'changed'>) {
    this.#asset = asset;
    const newest = startOfBucket(bucketOf(asset.lastSeen) - 2 * FARTHEST);
    this.#lateAt = (asset.memory?.added ?? []).reduce(
      (last, { observedAt }) => (observedAt < newest ? Math.max(last, observedAt) : last),
      Number.NEGATIVE_INFINITY,
    );
  }

  /**
   * @param piece whole buckets: of a stretch, or of the time before or after one.
   * @returns the part of its surroundings whose scans are to be loaded: a minute of them is around the piece before, too.
   */
  lacking(piece: Stretch): Stretch {
    const isNext = piece.from === this.#askedTo + 1;
    this.#askedTo = piece.to;
    const around = surroundingsOf(piece);
    return isNext ? { ...around, from: startOfBucket(bucketOf(piece.from) + FARTHEST) } : around;
  }

  /**
   * @param scans all that are {@link lacking}.
   * @returns the cost.
   */
  async learn(
    piece: Stretch,
    scans: readonly Seen[],
    transitions: readonly DecidedTransition[],
    turns: Turns,
  ): Promise<number> {
    const { from, to } = piece;
    const heard = await this.#hear(piece, scans, turns);
    if (heard.to >= bucketOf(this.#asset.lastSeen)) {
      this.#ofNewest = heard;
    } else if (from <= this.#lateAt && this.#lateAt <= to) {
      this.#ofLate = heard;
    }
    const decided = { from: bucketOf(from), to: bucketOf(to) };
    const { statements, positions, cost } = await statementsIn(heard.hearing, decided, turns);
    const span = this.#spans.get(from - 1) ?? { from, to, sightings: [] };
    this.#spans.delete(from - 1);
    append(span.sightings, toSightings(statements));
    this.#spans.set(to, { ...span, to });
    for (const transition of transitions) {
      this.#stored.set(transition.observedAt, transition);
    }
    this.#keepNewest(positions.at(-1));
    return cost;
  }

  async #hear({ from, to }: Stretch, scans: readonly Seen[], turns: Turns): Promise<HeardPieces> {
    const around = { from: bucketOf(from) - FARTHEST, to: bucketOf(to) + FARTHEST };
    const before = this.#heard;
    if (before?.to !== bucketOf(from) - 1 + FARTHEST) {
      this.#heard = { ...around, hearing: await hearing(scans, this.#asset.site, turns) };
      return this.#heard;
    }
    before.from = Math.max(before.from, around.from - MOST_LATENESS);
    before.to = around.to;
    before.hearing.forget(before.from);
    await addScans(before.hearing, scans, turns);
    return before;
  }

  remember(): void {
    const { orgId, assetId, lastSeen, site, memory } = this.#asset;
    if (memory === undefined) {
      return;
    }
    const written = { orgId, assetId, writer: memory.transaction };
    let { newest, late } = memory.recent.take(written, site);
    if (this.#ofNewest !== null) {
      const { hearing, from } = this.#ofNewest;
      const latest = bucketOf(lastSeen);
      // If less was remembered, some came later than expected.
      const added = newest === null ? [] : memory.added.map(({ observedAt }) => bucketOf(observedAt));
      const first = Math.min(latest, leastOf(added.filter((bucket) => bucket >= from)));
      newest = new RecentHearing(hearing, { from, to: Number.POSITIVE_INFINITY, latest, first });
    }
    if (this.#ofLate !== null && this.#ofLate !== this.#ofNewest) {
      const { hearing, from, to } = this.#ofLate;
      const latest = bucketOf(this.#lateAt);
      late = new RecentHearing(hearing, { from, to, latest, first: latest });
    }
    memory.recent.keep(written, { newest, late });
  }

  neighbourhood(): Neighbourhood {
    return {
      spans: [...this.#spans.values()].toSorted((a, b) => a.from - b.from),
      stored: inOrder([...this.#stored.values()]),
      newest: this.#newest(),
    };
  }

  #newest(): ObservedPosition | null | undefined {
    const { positionAt } = this.#asset;
    const decided = this.#position;
    if (positionAt !== null && this.#spanAt(positionAt) !== undefined) {
      return decided;
    }
    return decided !== null && decided.observedAt > (positionAt ?? Number.NEGATIVE_INFINITY)
      ? decided
      : undefined;
  }

  #spanAt(at: Micros): Span | undefined {
    return [...this.#spans.values()].find(({ from, to }) => from <= at && at <= to);
  }

  /**
   * Looks for an earlier position where the stored one is no more: a late read can narrow a window to one in which no
   * antenna on the plan was heard.
   */
  async findLostPosition(stored: StoredStretches): Promise<void> {
    const { orgId, assetId, positionAt, site } = this.#asset;
    const span = positionAt === null ? undefined : this.#spanAt(positionAt);
    let from = span?.from ?? Number.NEGATIVE_INFINITY;
    for (let look = 0; look < MOST_LOOKS; look++) {
      if (span === undefined || (this.#position?.observedAt ?? Number.NEGATIVE_INFINITY) >= from) {
        return;
      }
      const [[last] = []] = await stored.lastBefore([{ orgId, assetId, observedAt: from }], 0);
      if (last === undefined) {
        return;
      }
      const buckets = { from: bucketOf(last.observedAt) - FARTHEST, to: bucketOf(last.observedAt) };
      from = startOfBucket(buckets.from);
      const piece = { orgId, assetId, from, to: endOfBucket(buckets.to) };
      const [scans = []] = await stored.scans([surroundingsOf(piece)]);
      this.#keepNewest((await statementsOf(scans, site, buckets)).positions.at(-1));
    }
  }

  #keepNewest(position: ObservedPosition | undefined): void {
    if (
      position !== undefined &&
      position.observedAt > (this.#position?.observedAt ?? Number.NEGATIVE_INFINITY)
    ) {
      this.#position = position;
    }
  }

  diverging(): DivergingStretch[] {
    return diverging(this.#asset, this.neighbourhood());
  }
}

/** The scans in and around consecutive pieces: buckets, both included. */
interface HeardPieces {
  hearing: Hearing;
  from: number;
  to: number;
}

/** Stretches that end in another stay than is stored, and are followed by scans not decided yet. */
function diverging(
  { orgId, assetId, lastSeen }: Pick<AssetAtSite, 'orgId' | 'assetId' | 'lastSeen'>,
  { spans, stored }: Neighbourhood,
): DivergingStretch[] {
  if (spans.every(({ to }) => to >= lastSeen)) {
    return [];
  }
  const revised = revise(stored, spans);
  return spans.flatMap(({ from, to }, index) => {
    const next = spans[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    const hasConverged =
      to >= lastSeen || next === to + 1 || locationAt(revised, to) === locationAt(stored, to);
    return hasConverged ? [] : [{ orgId, assetId, from, to, next }];
  });
}

function inOrder(transitions: readonly DecidedTransition[]): DecidedTransition[] {
  const byTime = new Map(transitions.map((transition) => [transition.observedAt, transition]));
  return [...byTime.values()].toSorted((a, b) => a.observedAt - b.observedAt);
}

/** The first statement of each run, which is equivalent to the whole run. */
function toSightings(statements: readonly Statement[]): Sighting[] {
  return statements
    .filter(({ locationId }, index) => locationId !== statements[index - 1]?.locationId)
    .map(asSighting);
}

/** As history takes it; the proof is kept with the scan. */
function asSighting({ observedAt, locationId, rssi, scan, rule, position }: Statement): Sighting {
  const isProven = rule !== 'person' && rule !== 'every';
  return { observedAt, locationId, rssi, scan: isProven ? { ...scan, proof: rule } : scan, position };
}
