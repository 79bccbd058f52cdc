import { eachInTurns } from '../../base/each-in-turns.ts';
import type { Micros } from '../../base/instant.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { Outdated } from '../../db/timescale/connections/transaction.ts';
import { type BinaryValues, integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { type CopyTarget, copyRows } from '../../db/timescale/queries/copy-rows.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type LocationRef, lockLiveLocations } from './classify.ts';
import {
  type ChangedRows,
  countRows,
  inParts,
  isChange,
  isMoved,
  MOST_ROWS,
  rowsAsJson,
  type UnsealedMove,
} from './feed/unsealed-move.ts';
import type { AssetRef } from './history/asset-ref.ts';
import type { Transition } from './history/history.ts';
import { type Change, historyChanges } from './history-changes.ts';
import { forgetSite } from './location/read-site.ts';
import type { RecentHearings } from './location/recent-hearings.ts';
import type { Site } from './location/site.ts';
import type { Move } from './moves.ts';
import { type Touched, updatePositions } from './positions.ts';
import type { StoredTracking } from './stored-tracking.ts';
import {
  type AssetTransition,
  addTransitions,
  deleteTransitions,
  putTransitions,
} from './write-transitions.ts';

export interface UpdateOptions {
  stored: StoredTracking;
  sites: ReadonlyMap<number, Site>;
  recent?: RecentHearings | undefined;
  /** Expects rows at instants at which none should be. Without it they are a unique violation. */
  isCareful: boolean;
}

export interface Updated {
  /** The new scans that moved their assets. */
  moves: Move[];
  /** Changes of histories that wait to be sealed. */
  unsealed: number;
}

/**
 * Brings transitions and positions up to the scans that were just written (see {@link historyChanges}).
 *
 * @param touched assets whose positions are locked.
 */
export async function updateHistories(
  client: Client,
  touched: readonly Touched[],
  { stored, sites, recent, isCareful }: UpdateOptions,
): Promise<Updated> {
  const changes = await historyChanges(stored, touched, sites, recent);
  const unsealed = await writeChanges(client, changes, { isExact: !isCareful });
  return { moves: changes.flatMap(({ moves }) => moves), unsealed };
}

/**
 * Writes transitions and positions, and the events of the feed.
 *
 * @param isExact expects exactly the stored rows that the changes name, which costs less. Otherwise there is a unique
 * violation or {@link StoredOtherwise}.
 * @returns the number of changes in the feed.
 */
export async function writeChanges(
  client: Client,
  changes: readonly Change[],
  { isExact = false } = {},
): Promise<number> {
  const recorded = await eachInTurns(changes, unsealedMoveOf);
  const unsealed = recorded.filter((move) => move !== null);
  const rows = rowsToWrite(changes);
  const writing = isExact ? writeExactly(client, rows) : replace(client, rows);
  const besides = Promise.all([
    markHistories(client, rows.put),
    updatePositions(
      client,
      changes.map(({ position }) => position),
      recorded.map((move) => move?.recordedAt ?? null),
    ),
    writeUnsealed(client, unsealed),
    requireArrivalsLive(client, changes),
  ]);
  // If a transition was stored already, the statements pipelined behind fail too, without naming the cause.
  besides.catch(() => {});
  await writing;
  await besides;
  return unsealed.length;
}

/**
 * Keeps locations live at which assets arrive by position: unlike those of scans, they are not locked yet. Unchanged
 * transitions may be at deleted ones.
 *
 * @throws Outdated if one was deleted after the site was read.
 */
async function requireArrivalsLive(client: Client, changes: readonly Change[]): Promise<void> {
  const arrivals: LocationRef[] = [];
  for (const { position, put, rows } of changes) {
    const comes = new Set<Transition>(rows.added);
    for (const { row, was } of rows.changed) {
      if (was.locationId !== row.locationId) {
        comes.add(row);
      }
    }
    for (const row of put) {
      if (row.decidedBy?.proof === 'position' && comes.has(row)) {
        arrivals.push({ orgId: position.orgId, locationId: row.locationId });
      }
    }
  }
  const live = await lockLiveLocations(client, arrivals);
  const gone = arrivals.find(({ orgId, locationId }) => !live.has(orgId, locationId));
  if (gone !== undefined) {
    forgetSite(client, gone.orgId);
    throw new Outdated(`location ${gone.locationId} is deleted, where an asset was to come`);
  }
}

/** Transitions are not stored that were to be removed. */
export class StoredOtherwise extends Error {}

interface Rows {
  /** All rows to write: the newest, those in between, and the changed ones. */
  put: AssetTransition[];
  /** Later than all stored ones. */
  newest: AssetTransition[];
  /** Added elsewhere. */
  between: AssetTransition[];
  /** Stored already. */
  changed: AssetTransition[];
  gone: (AssetRef & Transition)[];
}

function rowsToWrite(changes: readonly Change[]): Rows {
  const rows: Rows = { put: [], newest: [], between: [], changed: [], gone: [] };
  for (const change of changes) {
    if (change.put.length + change.gone.length > 0) {
      addRows(rows, change);
    }
  }
  return rows;
}

function addRows(rows: Rows, { position, put, gone, rows: told, isNewest }: Change): void {
  const { orgId, assetId } = position;
  let added = 0;
  for (const transition of put) {
    const row = { orgId, assetId, ...transition };
    rows.put.push(row);
    if (isNewest) {
      rows.newest.push(row);
    } else if (transition === told.added[added]) {
      // What is added comes in the same order.
      rows.between.push(row);
      added += 1;
    } else {
      rows.changed.push(row);
    }
  }
  for (const { observedAt, locationId, durationSeconds } of gone) {
    rows.gone.push({ orgId, assetId, observedAt, locationId, durationSeconds });
  }
}

async function writeExactly(client: Client, { put, newest, between, changed, gone }: Rows): Promise<void> {
  if (put.length + gone.length === 0) {
    return;
  }
  const writing = sparingTriggers(client, async () => {
    const [removed] = await Promise.all([
      deleteTransitions(client, gone),
      putTransitions(client, changed),
      addTransitions(client, between.length === 0 ? newest : [...newest, ...between]),
    ]);
    return removed;
  });
  const keeping = keepMarks(client, between, gone);
  keeping.catch(() => {});
  const removed = await writing;
  await keeping;
  if (removed !== gone.length) {
    throw new StoredOtherwise(`${removed} of ${gone.length} transitions to be removed are stored`);
  }
}

async function replace(client: Client, { put, gone }: Rows): Promise<void> {
  await Promise.all([deleteTransitions(client, gone), putTransitions(client, put)]);
}

/** The event that a change makes in the feed; null if none. */
export function unsealedMoveOf({ position, before, rows }: Change): UnsealedMove | null {
  const { orgId, assetId, stay, lastSeen, lockedAt: recordedAt } = position;
  return isChange({ before, stay, rows })
    ? { orgId, assetId, recordedAt, before, stay, lastSeen, rows }
    : null;
}

/**
 * Writes changes of histories where the sealer finds them once they are committed.
 *
 * @param moves of locked positions, one of each, so that ids ascend along an asset.
 */
async function writeUnsealed(client: Client, moves: readonly UnsealedMove[]): Promise<void> {
  const small = moves.filter(isSmall);
  const large = moves.filter((move) => !isSmall(move));
  await Promise.all([
    small.length === 0 ? null : copyRows(client, UNSEALED, small, writeMove),
    large.length === 0 ? null : writeInParts(client, large),
  ]);
}

function isSmall({ rows }: UnsealedMove): boolean {
  return countRows(rows) <= MOST_ROWS;
}

const COLUMNS = [
  'org_id',
  'asset_id',
  'kind',
  'recorded_at',
  'location_id',
  'since',
  'last_seen',
  'previous_location_id',
  'duration_seconds',
  'rows',
];

const UNSEALED: CopyTarget = { table: 'unsealed_moves', columns: COLUMNS };

/** A plain move, as most are, needs no JSON. */
function writeMove(into: BinaryValues, move: UnsealedMove): void {
  if (isMoved(move)) {
    writeAs('moved', into, move);
    into.bigint(move.rows.added[0]?.durationSeconds ?? null);
    into.null();
  } else {
    writeCorrected(into, move, move.rows);
  }
}

function writeCorrected(into: BinaryValues, move: UnsealedMove, rows: ChangedRows): void {
  writeAs('corrected', into, move);
  into.null();
  into.text(rowsAsJson(rows));
}

function writeAs(kind: 'moved' | 'corrected', into: BinaryValues, move: UnsealedMove): void {
  into.integer(move.orgId);
  into.integer(move.assetId);
  into.text(kind);
  into.timestamp(move.recordedAt);
  into.integer(move.stay?.locationId ?? null);
  into.timestamp(move.stay?.since ?? null);
  into.timestamp(move.lastSeen);
  into.integer(move.before?.locationId ?? null);
}

interface Part {
  id: number;
  part: number;
  parts: number;
  move: UnsealedMove;
  rows: ChangedRows;
}

async function writeInParts(client: Client, moves: readonly UnsealedMove[]): Promise<void> {
  const ids = await client.any(sql.prepared('ids-of-unsealed-moves', rowsOf<{ id: number }>())`
    select nextval(pg_get_serial_sequence('unsealed_moves', 'id')) as id
    from generate_series(1, ${moves.length}::integer)`);
  const parts = moves.flatMap((move, index): Part[] => {
    const all = inParts(move.rows);
    const id = ids[index]?.id ?? 0;
    return all.map((rows, part) => ({ id, part: part + 1, parts: all.length, move, rows }));
  });
  await copyRows(client, PARTS, parts, writePart);
}

const PARTS: CopyTarget = { table: 'unsealed_moves', columns: ['id', 'part', 'parts', ...COLUMNS] };

function writePart(into: BinaryValues, { id, part, parts, move, rows }: Part): void {
  into.bigint(id);
  into.integer(part);
  into.integer(parts);
  writeCorrected(into, move, rows);
}

/**
 * Marks about one in 512 of the given transitions, so that a history is counted by its marks and at most some 512 rows
 * (`db/timescale/schema/tables/tracking.sql`). A hash decides which: that takes no look-up, and late rows are marked as
 * often as new ones.
 *
 * @param written transitions of assets whose positions are locked.
 */
async function markHistories(db: Connection, written: readonly AssetTransition[]): Promise<void> {
  const marked = written.filter(isMarked);
  if (marked.length === 0) {
    return;
  }
  await db.exec(sql.prepared('mark-histories', NO_ROWS)`
    select mark_histories(
      ${sql.binary(integers(marked.map(({ orgId }) => orgId)))}::integer[],
      ${sql.binary(integers(marked.map(({ assetId }) => assetId)))}::integer[],
      ${sql.binary(timestamps(marked.map(({ observedAt }) => observedAt)))}::timestamptz[])`);
}

type Instant = AssetRef & { observedAt: Micros };

/**
 * Does `work`, which writes and deletes transitions, without the triggers that keep the marks up to each row. A row took
 * them 15 us, and longer the more of one stretch were written in one transaction. Who does without calls {@link keepMarks}
 * for all rows but those later than every scan of their asset, which no mark counts.
 */
export async function sparingTriggers<Result>(db: Connection, work: () => Promise<Result>): Promise<Result> {
  const sparing = db.exec(sql.prepared('spare-marks', NO_ROWS)`
    select set_config('tagtrail.keeps_marks', 'on', true)`);
  const working = work();
  const ending = db.exec(sql.prepared('end-sparing-marks', NO_ROWS)`
    select set_config('tagtrail.keeps_marks', 'off', true)`);
  // If one fails, so does what is pipelined behind it, without naming the cause.
  working.catch(() => {});
  ending.catch(() => {});
  await sparing;
  const result = await working;
  await ending;
  return result;
}

/** Adjusts the marks to rows that were added and removed: of each row the first mark from its instant on. */
async function keepMarks(
  db: Connection,
  added: readonly Instant[],
  removed: readonly Instant[],
): Promise<void> {
  const rows = [...added, ...removed];
  if (rows.length === 0) {
    return;
  }
  await db.exec(sql.prepared('keep-marks', NO_ROWS)`
    update history_marks set stays = history_marks.stays + changed.stays
    from (
      select mark.row, sum(given.stays) as stays
      from unnest(
        ${sql.binary(integers(rows.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(rows.map(({ assetId }) => assetId)))}::integer[],
        ${sql.binary(timestamps(rows.map(({ observedAt }) => observedAt)))}::timestamptz[],
        ${sql.binary(integers(rows.map((_, index) => (index < added.length ? 1 : -1))))}::integer[])
        as given (org_id, asset_id, observed_at, stays)
      cross join lateral (
        select ctid as row from history_marks
        where org_id = given.org_id and asset_id = given.asset_id and observed_at >= given.observed_at
        order by observed_at limit 1
      ) mark
      group by mark.row
    ) changed
    where history_marks.ctid = changed.row`);
}

/** Works for instants with any digits. The asset is part of the hash because many assets may be seen at one instant. */
function isMarked({ assetId, observedAt }: Pick<AssetTransition, 'assetId' | 'observedAt'>): boolean {
  const low = Math.imul(observedAt % HALF, 0x9e3779b1);
  const high = Math.imul(Math.floor(observedAt / HALF), 0x85ebca6b);
  const mixed = Math.imul(low ^ (low >>> 15) ^ high ^ Math.imul(assetId, 0x27d4eb2f), 0xc2b2ae35);
  return Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b) >>> 23 === 0;
}

const HALF = 2 ** 32;
