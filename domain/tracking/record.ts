import { append } from '../../base/append.ts';
import { Turns } from '../../base/each-in-turns.ts';
import type { Micros } from '../../base/instant.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { findByIndexes, isUniqueViolation } from '../../db/timescale/connections/transaction.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Pace } from './batch.ts';
import { classify, type LookedUp, lookUp } from './classify.ts';
import { type Distinct, distinctScans, dropRepeats, findKnownScans, type KnownScan } from './drop-repeats.ts';
import type { LocatedScan } from './located-scan.ts';
import type { Workload } from './location/heavy-organizations.ts';
import { askedForProof, readSites } from './location/read-site.ts';
import type { RecentHearings } from './location/recent-hearings.ts';
import type { Move } from './moves.ts';
import { type Late, loadNear, type Near, type StoredScan } from './near-scans.ts';
import type { TimeRules } from './observed-at.ts';
import { PairMap } from './pair-map.ts';
import { insertPositions, isNewest, lockPositions, type Position, touchedAssets } from './positions.ts';
import type { ReadingsOfTransaction } from './recent-readings.ts';
import type { RecentlySeen, RecentRepeats } from './recently-seen.ts';
import { reviseAlerts, withLateScans, withReadingsBeyond } from './revise-alerts.ts';
import type { Outcome, Scan } from './scan.ts';
import { insertScanEvents, isRetracted, markRetracted, strengthenScanEvents, toMark } from './scan-events.ts';
import { storedTracking } from './stored-tracking.ts';
import { readingsOf, recordReadings } from './tag-readings.ts';
import { recordUnknownTags } from './unknown-tags.ts';
import { StoredOtherwise, updateHistories } from './update-histories.ts';

export interface RecordOptions {
  rules: TimeRules;
  now: Micros;
  /**
   * Looks every scan up, not only late ones that may change something. For the retry after {@link AlreadyStored}.
   */
  isCareful: boolean;
  /** Remembered from batch to batch; without it none are expected. */
  repeats?: RecentRepeats;
  /** Likewise; without it nothing is written before positions are locked. */
  seen?: RecentlySeen;
  /** Likewise; without it the newest values of tags are all written. */
  measured?: ReadingsOfTransaction;
  /** Likewise; gets to know organizations whose scans take long to decide on. */
  workload?: Workload;
  /** Likewise; without it all that is around scans is loaded. */
  recent?: RecentHearings;
  /** True if no message or submission has many of the scans. */
  isOfSmallMessages?: boolean;
  /** Of a large batch. */
  pace?: Pace | undefined;
}

/**
 * Records scans from any devices of any organizations, inside the caller's transaction (docs/tracking.md):
 *
 * 1. Resolves tags, and locks the live locations against deletion.
 * 2. Locks the positions of the assets: one recorder of an asset at a time. Also of assets that had the tags before, where
 *    their stored scans become stronger. Raw scans that are probably newer than their assets are written before, as that takes
 *    longest.
 * 3. Leaves out duplicates, and writes the other raw scans.
 * 4. Updates transitions and positions and tells the feed, under a shared lock on the settings of locations.
 * 5. Counts unknown tags, and keeps what known ones measure.
 *
 * Locks are always taken in this order, each kind in the order of its key. Whatever the order, the batches, the
 * repetitions and the number of processes, the same scans end in the same rows.
 *
 * @param known looked up by the caller, in this transaction and after {@link findByIndexes}.
 * @throws AlreadyStored if the transaction must be retried with `isCareful`.
 */
export async function recordScans(
  client: Client,
  scans: readonly Scan[],
  options: RecordOptions,
  known?: LookedUp,
): Promise<Recorded> {
  const turns = options.pace ?? (scans.length > MOST_AT_ONCE ? new Turns() : IN_ONE_GO);
  const lookedUp = known ?? (await Promise.all([findByIndexes(client), lookUp(client, scans)]))[1];
  await turns.next();
  const classified = classify(scans, lookedUp, options.now, options.rules);
  const located: LocatedScan[] = [];
  for (const each of classified) {
    if ('located' in each) {
      located.push(each.located);
    }
  }
  if (located.length === 0) {
    options.repeats?.note(false);
  }
  await turns.next();
  const written = await writeInPieces(client, located, { ...options, turns });
  const outcomes = classified.map((each) =>
    'located' in each ? outcomeOf(each.located, written) : each.outcome,
  );
  await turns.next();
  await recordUnknownTags(client, scans, outcomes);
  await turns.next();
  const readings = readingsOf(scans, outcomes, lookedUp.resolutions, options.now, options.rules);
  if (readings.length > 0) {
    const { revised, ofRules } = await withReadingsBeyond(client, readings);
    if (!(await recordReadings(client, readings, { ...options, ofRules }))) {
      throw new AlreadyStored('what a tag measured at an instant was stored already');
    }
    await reviseAlerts(client, revised);
  }
  return { outcomes, unsealed: written.unsealed };
}

export interface Recorded {
  /** For each scan, in order; for one that moved its asset with the earlier location. */
  outcomes: Outcome[];
  /** Changes of histories; wake the sealer for them after the commit. */
  unsealed: number;
}

/**
 * A scan taken for new is stored already: a late one that changes no history, or one of the asset that had its tag before. Or
 * that asset is not locked, and its stored copy is weaker. Or a transition is stored at its instant, or what a tag measured.
 */
export class AlreadyStored extends Error {}

interface Written {
  duplicates: ReadonlySet<LocatedScan>;
  moves: ReadonlyMap<LocatedScan, Move>;
  unsealed: number;
}

interface WriteOptions
  extends Pick<RecordOptions, 'isCareful' | 'repeats' | 'seen' | 'workload' | 'recent' | 'pace'> {
  turns: Pick<Turns, 'next'>;
}

/**
 * Writes many scans a few at a time: each step of ten thousand held this process, and so everybody else, for up to a tenth
 * of a second. Positions are all locked first, and then the settings, so that locks keep their order. Batches of small
 * messages are written in one go, as pieces take half as much processor time again.
 */
async function writeInPieces(
  client: Client,
  located: readonly LocatedScan[],
  options: WriteOptions & Pick<RecordOptions, 'isOfSmallMessages'>,
): Promise<Written> {
  if (located.length <= (options.isOfSmallMessages ? MOST_OF_SMALL_MESSAGES : MOST_AT_ONCE)) {
    return writeLocated(client, located, options);
  }
  const { turns } = options;
  const pieces = inPieces(located);
  const strengthened: LocatedScan[] = [];
  for (const piece of pieces) {
    append(strengthened, await findStronger(client, distinctScans(piece), options));
    await turns.next();
  }
  await insertPositions(client, [...located, ...strengthened]);
  for (const piece of strengthened.length === 0 ? pieces : inPieces([...located, ...strengthened])) {
    await lockPositions(client, piece);
    await turns.next();
  }
  await readSites(client, located, options.workload);
  const duplicates = new Set<LocatedScan>();
  const moves = new Map<LocatedScan, Move>();
  let unsealed = 0;
  for (const piece of pieces) {
    const written = await writeLocated(client, piece, options);
    for (const scan of written.duplicates) {
      duplicates.add(scan);
    }
    for (const [scan, move] of written.moves) {
      moves.set(scan, move);
    }
    unsealed += written.unsealed;
    await turns.next();
  }
  return { duplicates, moves, unsealed };
}

/** All scans of an asset are in one piece; pieces are in the order in which positions are locked. */
function inPieces(located: readonly LocatedScan[]): LocatedScan[][] {
  const pieces: LocatedScan[][] = [];
  let last: LocatedScan | undefined;
  for (const scan of located.toSorted((a, b) => a.orgId - b.orgId || a.assetId - b.assetId)) {
    const piece = pieces.at(-1);
    const isOfLast = last?.orgId === scan.orgId && last.assetId === scan.assetId;
    if (piece === undefined || (piece.length >= PIECE && !isOfLast)) {
      pieces.push([scan]);
    } else {
      piece.push(scan);
    }
    last = scan;
  }
  return pieces;
}

/** Scans that are written in one go. */
const MOST_AT_ONCE = 1_000;

const IN_ONE_GO = { next: async () => {} };

/** As many as readers' small messages in one batch can have. */
const MOST_OF_SMALL_MESSAGES = 4_000;

/** Scans of a piece, if there are more; an asset alone may have more than that. */
const PIECE = 250;

async function writeLocated(
  client: Client,
  located: readonly LocatedScan[],
  options: WriteOptions,
): Promise<Written> {
  if (located.length === 0) {
    return { duplicates: new Set(), moves: new Map(), unsealed: 0 };
  }
  const { isCareful, repeats, seen, turns } = options;
  const distinct = distinctScans(located);
  await turns.next();
  const ahead = isCareful ? NONE : writableAhead(distinct.scans, repeats, seen);
  const strengthened = await findStronger(client, distinct, options);
  const positions = await lockBehind(client, ahead, [...located, ...strengthened], seen);
  const positionOf = byAsset(positions);
  await turns.next();
  const { known, near } = isCareful
    ? { known: await findKnownScans(client, distinct.scans) }
    : await findKnownNear(client, distinct.scans, { positionOf, written: ahead, repeats, turns });
  await turns.next();
  repeats?.note(known.size > 0, ofMovedTags(known));
  seen?.noteRepeats(known.keys());
  const { fresh, stronger, duplicates } = dropRepeats(distinct, known);
  await turns.next();
  requireLocked(stronger, positionOf);
  const retracted = toMark(fresh);
  const counting = retracted.length === 0 ? fresh : fresh.filter((scan) => !isRetracted(scan));
  const touched = touchedAssets(positions, counting, stronger);
  seen?.note(touched, ahead);
  await turns.next();
  const inserting = insertScanEvents(
    client,
    fresh.filter((scan) => !ahead.has(scan)),
  );
  const sentBehind = Promise.all([
    readSites(
      client,
      touched.flatMap(({ scans }) => scans),
      options.workload,
    ),
    strengthenScanEvents(client, stronger),
    markRetracted(client, retracted),
    reviseAlerts(client, withLateScans(touched)),
  ]);
  // If a scan was stored already, the statements pipelined behind fail too, without naming the cause.
  sentBehind.catch(() => {});
  if (!(await inserting)) {
    throw new AlreadyStored('a scan was stored already');
  }
  const [sites] = await sentBehind;
  await turns.next();
  const { moves, unsealed } = await updateHistories(client, touched, {
    stored: storedTracking(client, sites, { near, workload: options.workload, turns: options.pace }),
    sites,
    recent: options.recent,
    isCareful,
  }).catch(rethrowStored);
  return { duplicates, moves: new Map(moves.map((move) => [move.scan, move])), unsealed };
}

function byAsset(positions: readonly Position[]): PairMap<number, number, Position> {
  const positionOf = new PairMap<number, number, Position>();
  for (const position of positions) {
    positionOf.add(position.orgId, position.assetId, position);
  }
  return positionOf;
}

function requireLocked(
  stronger: readonly LocatedScan[],
  positionOf: PairMap<number, number, Position>,
): void {
  if (stronger.some((scan) => !positionOf.has(scan.orgId, scan.assetId))) {
    // To lock it now, out of order, could deadlock: everybody in the batch would wait until the database finds out.
    throw new AlreadyStored('a scan of an asset that is not locked is stored already, and weaker');
  }
}

function rethrowStored(error: unknown): never {
  throw isUniqueViolation(error) || error instanceof StoredOtherwise
    ? new AlreadyStored('a transition was stored already', { cause: error })
    : error;
}

/**
 * Stronger copies of stored scans, where repeats are expected, under the asset that each belongs to: perhaps one that had the tag
 * before. Found before positions are locked, so that all are locked in one order.
 */
async function findStronger(
  client: Client,
  distinct: Distinct,
  { isCareful, repeats }: Pick<RecordOptions, 'isCareful' | 'repeats'>,
): Promise<LocatedScan[]> {
  const expected = isCareful
    ? distinct.scans
    : distinct.scans.filter(({ orgId }) => repeats?.areOfMovedTags(orgId));
  const known = await findKnownScans(client, expected);
  return known.size === 0 ? [] : dropRepeats(distinct, known).stronger;
}

function writableAhead(
  scans: readonly LocatedScan[],
  repeats: RecentRepeats | undefined,
  seen: RecentlySeen | undefined,
): ReadonlySet<LocatedScan> {
  return new Set(seen?.choose(scans).filter(({ orgId }) => !repeats?.areOfMovedTags(orgId)));
}

const NONE: ReadonlySet<LocatedScan> = new Set();

/**
 * Writes the scans that are written ahead, and locks positions behind them in the same round trip.
 *
 * @throws AlreadyStored if one of them is stored.
 */
async function lockBehind(
  client: Client,
  ahead: ReadonlySet<LocatedScan>,
  located: readonly LocatedScan[],
  seen: RecentlySeen | undefined,
): Promise<Position[]> {
  const writing = insertScanEvents(client, [...ahead]);
  const locking = lockPositions(client, located, seen?.hasAll(located));
  // If a scan was stored already, the statements pipelined behind fail too, without naming the cause.
  locking.catch(() => {});
  if (!(await writing)) {
    throw new AlreadyStored('a scan that was newer than its asset is stored already');
  }
  return locking;
}

/** Organizations. */
function ofMovedTags(known: ReadonlyMap<LocatedScan, KnownScan>): ReadonlySet<number> {
  const orgIds = new Set<number>();
  for (const [{ orgId, assetId }, stored] of known) {
    if (stored.assetId !== assetId) {
      orgIds.add(orgId);
    }
  }
  return orgIds;
}

function outcomeOf(located: LocatedScan, { duplicates, moves }: Written): Outcome {
  const { assetId, observedAt, timeIsReceived } = located;
  if (duplicates.has(located)) {
    return { status: 'duplicate', assetId, observedAt };
  }
  const move = moves.get(located);
  const movedFrom = move === undefined ? null : { from: move.from };
  return { status: 'recorded', assetId, observedAt, timeIsReceived, move: movedFrom };
}

interface KnownNear {
  known: ReadonlyMap<LocatedScan, KnownScan>;
  /** Around the late ones of the scans. */
  near: ReadonlyMap<LocatedScan, Near>;
}

interface FindOptions {
  /** The locked positions of their assets. */
  positionOf: Pick<PairMap<number, number, Position>, 'get'>;
  /** The scans that this transaction has written already. */
  written: ReadonlySet<LocatedScan>;
  /** Without it none are expected. */
  repeats: RecentRepeats | undefined;
  turns: Pick<Turns, 'next'>;
}

/**
 * Finds the scans that are stored already for their assets and, with the same look-ups, the surroundings of late ones.
 * Three kinds are found only when they are written, unless such repeats are expected: those stored for another asset,
 * which had the tag before, those that change no history, and those of organizations where strength or position decides,
 * which loads what it needs. If none decides there any more, what is around such a scan is loaded once it is written.
 */
async function findKnownNear(
  db: Connection,
  scans: readonly LocatedScan[],
  { positionOf, written, repeats, turns }: FindOptions,
): Promise<KnownNear> {
  const areExpected = repeats?.areExpected() ?? false;
  const late: Late[] = [];
  for (const scan of scans) {
    const position = positionOf.get(scan.orgId, scan.assetId);
    const isLate = position !== undefined && !isNewest(position, scan.observedAt);
    if (isLate && (areExpected || !askedForProof(db, scan.orgId))) {
      late.push({ scan, position, isWritten: written.has(scan) });
    }
  }
  await turns.next();
  const near = await loadNear(db, late, areExpected);
  await turns.next();
  const known = new Map<LocatedScan, KnownScan>();
  const unclear: LocatedScan[] = [];
  for (const [scan, { scans: stored }] of near) {
    const copy = stored.find((each) => isCopy(scan, each));
    if (copy !== undefined) {
      known.set(scan, { assetId: scan.assetId, locationId: copy.locationId, rssi: copy.rssi });
    } else if (stored[1]?.observedAt === scan.observedAt) {
      // There may be more at that instant.
      unclear.push(scan);
    }
  }
  await turns.next();
  const ofMovedTags = scans.filter(
    (scan) => repeats?.areOfMovedTags(scan.orgId) && !known.has(scan) && !written.has(scan),
  );
  const [more, others] = [await findKnownScans(db, unclear), await findKnownScans(db, ofMovedTags)];
  return { known: new Map([...known, ...more, ...others]), near };
}

function isCopy({ observedAt, tagValue, scan }: LocatedScan, stored: StoredScan): boolean {
  const { source, tagType } = scan;
  const other = stored.scan;
  if (observedAt !== stored.observedAt || other === null || other === undefined) {
    return false;
  }
  return source.kind === 'reader'
    ? other.source.kind === 'reader' &&
        other.source.readerId === source.readerId &&
        other.source.antenna === source.antenna &&
        other.tagType === tagType &&
        other.tagValue === tagValue
    : other.source.kind === 'handheld' &&
        other.source.submissionId === source.submissionId &&
        other.source.index === source.index;
}
