import type { ScanResult } from '../gateway/answers.ts';
import { type Place, placeOf } from '../gateway/place.ts';
import { type Database, STRICT, type StoredSubmission } from '../storage/database.ts';
import { knownKey } from '../storage/known.ts';
import { type NewScan, type StoredScan, withResult } from '../storage/scan.ts';
import { nextBundle, submissionOf } from './bundle.ts';
import { learnedPlaces } from './learned-places.ts';
import { isUnplaced } from './unplaced.ts';
import { withoutRepeats } from './without-repeats.ts';

/** The user's walk: what the next scan gets. */
export interface Walk {
  place: Place | null;
  leg: string;
  /** The last leg without a known place, unless the user dismissed its scans. */
  unplaced: string | null;
}

/** Answered scans kept for display. */
const MOST_ANSWERED = 2_000;

/** The scan as if never sent, and never to be sent if it was to be taken back. */
export function anew({ index: _, undo, ...scan }: StoredScan): StoredScan {
  return { ...scan, state: undo === undefined ? 'queued' : 'withdrawn', submission_id: null, result: null };
}

/** Stores scans in order, with the walk after them, all or nothing. */
export async function addScans(
  database: Database,
  scans: readonly NewScan[],
  walk: Walk,
): Promise<StoredScan[]> {
  const transaction = database.transaction(['scans', 'kept'], 'readwrite', STRICT);
  const stored: StoredScan[] = [];
  for (const { isHeld = false, ...scan } of scans) {
    const state = isHeld ? ('held' as const) : ('queued' as const);
    const row = { ...scan, state, submission_id: null, result: null };
    // The database gives the number.
    const seq = await transaction.objectStore('scans').add(row as unknown as StoredScan);
    stored.push({ ...row, seq });
  }
  await transaction.objectStore('kept').put(walk, 'walk');
  await transaction.done;
  return stored;
}

/** Shifts the times of queued scans by milliseconds, by number: the device's clock was set since. */
export async function correctTimes(
  database: Database,
  corrections: ReadonlyMap<number, number>,
): Promise<void> {
  if (corrections.size === 0) {
    return;
  }
  const transaction = database.transaction('scans', 'readwrite', STRICT);
  for (const [seq, milliseconds] of corrections) {
    const scan = await transaction.store.get(seq);
    if (scan?.state === 'queued' || scan?.state === 'held') {
      const observed_at = new Date(Date.parse(scan.observed_at) + milliseconds).toISOString();
      await transaction.store.put({ ...scan, observed_at });
    }
  }
  await transaction.done;
}

/**
 * The next submission: the one under way, or one made of the first queued scans. It is stored with its id before it is
 * sent, in one transaction with its scans: whatever happens after, in however many tabs, these scans are sent under
 * this id only.
 *
 * @param mostScans limit for a new one.
 */
export async function takeNext(
  database: Database,
  newId: () => string,
  mostScans: number,
): Promise<StoredSubmission | null> {
  const transaction = database.transaction(['scans', 'submissions'], 'readwrite', STRICT);
  const submissions = transaction.objectStore('submissions');
  const scans = transaction.objectStore('scans');
  const underWay = await submissions.index('state').get('ready');
  if (underWay !== undefined) {
    return underWay;
  }
  const bundle = nextBundle(await scans.index('state').getAll('queued', mostScans));
  if (bundle.length === 0) {
    return null;
  }
  const submission = submissionOf(newId(), bundle);
  const { submission_id } = submission;
  const stored = { submission_id, submission, state: 'ready', reason: null, status: null } as const;
  await submissions.add(stored);
  for (const [index, scan] of bundle.entries()) {
    await scans.put({ ...scan, state: 'bundled', submission_id, index });
  }
  await transaction.done;
  return stored;
}

/**
 * Stores the gateway's answer to a submission, what it says of assets, and where queued scans were made ({@link
 * learnedPlaces}). Scans that were not recorded for want of a place and were given one meanwhile are queued again.
 *
 * @param results one per scan, in order.
 * @returns the scans with results, without those queued again; none if another tab has stored the answer already.
 */
export async function storeResults(
  database: Database,
  submissionId: string,
  results: readonly ScanResult[],
): Promise<StoredScan[]> {
  const transaction = database.transaction(['scans', 'submissions', 'known'], 'readwrite', STRICT);
  const scans = transaction.objectStore('scans');
  if ((await transaction.objectStore('submissions').get(submissionId)) === undefined) {
    return [];
  }
  await transaction.objectStore('submissions').delete(submissionId);
  const answered: StoredScan[] = [];
  const placedMeanwhile: StoredScan[] = [];
  for (const [index, scan] of (await scans.index('submission_id').getAll(submissionId)).entries()) {
    const result = results[index] ?? null;
    if (result?.status === 'no_location' && scan.place !== null) {
      placedMeanwhile.push(scan);
      continue;
    }
    const done: StoredScan = { ...withResult(scan, result), state: 'done' };
    await scans.put(done);
    if (result?.asset != null && result.location !== null && scan.undo === undefined) {
      const at = result.status === 'moved' ? { at: scan.observed_at } : {};
      const known = { asset: result.asset, place: result.location, ...at };
      await transaction.objectStore('known').put(known, knownKey(done));
    }
    answered.push(done);
  }
  const learned = learnedPlaces(answered);
  if (learned.size > 0) {
    for (const scan of await scans.index('state').getAll('queued')) {
      const place = learned.get(scan.leg);
      if (place !== undefined && scan.sweep === null) {
        await scans.put({ ...scan, place: placeOf(place) });
      }
    }
  }
  for (const scan of placedMeanwhile) {
    await scans.put(anew(scan));
  }
  await transaction.done;
  return answered;
}

/**
 * Assigns a place to the scans of a leg without one. Waiting scans are sent with it, unplaced ones that were sent are
 * queued again, and so are those under way once answered ({@link storeResults}).
 */
export async function placeLeg(database: Database, leg: string, place: Place): Promise<void> {
  const transaction = database.transaction('scans', 'readwrite', STRICT);
  for (const state of ['queued', 'bundled', 'done'] as const) {
    for (const scan of await transaction.store.index('state').getAll(state)) {
      if (scan.leg === leg && isUnplaced(scan)) {
        const placed = { ...scan, place: placeOf(place) };
        await transaction.store.put(state === 'done' ? anew(placed) : placed);
      }
    }
  }
  await transaction.done;
}

/**
 * Prunes the oldest answered scans. Those that the outcome of a stored sweep rests on stay: closing the app loses
 * nothing (docs/handhelds.md).
 */
export async function forgetOldest(database: Database): Promise<void> {
  const transaction = database.transaction(['scans', 'kept'], 'readwrite');
  const scans = transaction.objectStore('scans');
  const state = scans.index('state');
  const done = (
    await Promise.all((['done', 'withdrawn', 'held'] as const).map((each) => state.getAllKeys(each)))
  ).flat();
  done.sort((one, other) => one - other);
  const oldest = done.slice(0, Math.max(0, done.length - MOST_ANSWERED));
  if (oldest.length > 0) {
    const sweep = (await transaction.objectStore('kept').get('sweep')) as { id: string } | undefined;
    const swept = sweep === undefined ? [] : await scans.index('sweep').getAll(sweep.id);
    const telling = new Set(withoutRepeats(swept).map(({ seq }) => seq));
    for (const seq of oldest.filter((each) => !telling.has(each))) {
      await scans.delete(seq);
    }
  }
  await transaction.done;
}
