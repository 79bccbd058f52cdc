import type { Database } from '../storage/database.ts';
import { STRICT } from '../storage/database.ts';
import { knownKey } from '../storage/known.ts';
import type { StoredScan } from '../storage/scan.ts';

/**
 * Scans of a submission that the user takes back, sent once the submission is answered:
 *
 * asked (with the scans' `undo`) -> sent, and deleted here; the scans are marked `done` or `refused`
 *
 * Stored one by one in `kept`, as finished sweeps are.
 */
export interface Undo {
  retraction_id: string;
  submission_id: string;
  indexes: number[];
  /** Numbers of the scans. */
  scans: number[];
}

const PREFIX = 'undo ';
const allOfThem = () => IDBKeyRange.bound(PREFIX, `${PREFIX}~`);

const RECORDED = new Set(['moved', 'seen', 'duplicate']);

/** Whether there is something to take back: the scan is not sent yet, or was recorded. */
export function canBeUndone({ state, sets, undo, index, result }: StoredScan): boolean {
  if (sets !== null || undo !== undefined) {
    return false;
  }
  const isSent = state === 'bundled' || (state === 'done' && RECORDED.has(result?.status ?? ''));
  return state === 'queued' || (isSent && index !== undefined);
}

export async function undosWaiting(database: Database): Promise<Undo[]> {
  return (await database.getAll('kept', allOfThem())) as Undo[];
}

/**
 * Takes scans back: those that wait are never sent, for the others a retraction is queued, all or nothing. What the device
 * learned from them of where assets are is as before.
 */
export async function takeBack(
  database: Database,
  numbers: readonly number[],
  newId: () => string,
): Promise<void> {
  const transaction = database.transaction(['scans', 'kept', 'known'], 'readwrite', STRICT);
  const scans = transaction.objectStore('scans');
  const known = transaction.objectStore('known');
  const undos = new Map<string, Undo>();
  for (const seq of numbers) {
    const scan = await scans.get(seq);
    if (scan === undefined || !canBeUndone(scan)) {
      continue;
    }
    const { submission_id, index } = scan;
    if (scan.state === 'queued' || submission_id === null || index === undefined) {
      await scans.put({ ...scan, state: 'withdrawn' });
      continue;
    }
    const undo = undos.get(submission_id) ?? {
      ...{ retraction_id: newId(), submission_id },
      ...{ indexes: [], scans: [] },
    };
    undo.indexes.push(index);
    undo.scans.push(seq);
    undos.set(submission_id, undo);
    await scans.put({ ...scan, undo: { id: undo.retraction_id, state: 'asked', reason: null } });
    const { result } = scan;
    const learned = await known.get(knownKey(scan));
    if (result?.status === 'moved' && learned?.place?.id === result.location?.id) {
      await (result.from === null || result.asset === null
        ? known.delete(knownKey(scan))
        : known.put({ asset: result.asset, place: result.from }, knownKey(scan)));
    }
  }
  for (const undo of undos.values()) {
    await transaction.objectStore('kept').put(undo, PREFIX + undo.retraction_id);
  }
  await transaction.done;
}

/**
 * The next to be sent. Those whose scans were not recorded after all (their submission was too large, or refused) are
 * over: such scans are not sent again.
 */
export async function nextUndo(database: Database): Promise<Undo | null> {
  for (const undo of await undosWaiting(database)) {
    const scans = await Promise.all(undo.scans.map((seq) => database.get('scans', seq)));
    const left = scans.filter((scan) => scan?.undo?.id === undo.retraction_id);
    if (left.length === 0) {
      await database.delete('kept', PREFIX + undo.retraction_id);
    } else if (left.every((scan) => scan?.state === 'done')) {
      return undo;
    }
  }
  return null;
}

/** @param refused why the gateway did not take them back; null if it did. */
export async function settleUndo(database: Database, undo: Undo, refused: string | null): Promise<void> {
  const transaction = database.transaction(['scans', 'kept'], 'readwrite', STRICT);
  const scans = transaction.objectStore('scans');
  for (const seq of undo.scans) {
    const scan = await scans.get(seq);
    if (scan?.undo?.id === undo.retraction_id) {
      const state = refused === null ? 'done' : 'refused';
      await scans.put({ ...scan, undo: { id: undo.retraction_id, state, reason: refused } });
    }
  }
  await transaction.objectStore('kept').delete(PREFIX + undo.retraction_id);
  await transaction.done;
}
