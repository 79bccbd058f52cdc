import { type Place, placeOf } from '../gateway/place.ts';
import { type Database, STRICT } from '../storage/database.ts';
import { anew } from './store.ts';

/** Sets aside a submission that the gateway refuses, for the user to see; the next one can go. */
export async function setAside(
  database: Database,
  submissionId: string,
  { status, reason }: { status: number; reason: string },
): Promise<void> {
  const transaction = database.transaction(['scans', 'submissions'], 'readwrite', STRICT);
  const submissions = transaction.objectStore('submissions');
  const refused = await submissions.get(submissionId);
  if (refused === undefined) {
    return;
  }
  await submissions.put({ ...refused, state: 'refused', status, reason });
  const scans = transaction.objectStore('scans');
  for (const scan of await scans.index('submission_id').getAll(submissionId)) {
    await scans.put({ ...scan, state: 'refused' });
  }
  await transaction.done;
}

/**
 * Queues the scans of a refused or oversized submission again, under new ids.
 *
 * @param place of the scans that had the submission's place; null to keep it.
 */
export async function queueAgain(
  database: Database,
  submissionId: string,
  place: Place | null,
): Promise<void> {
  const transaction = database.transaction(['scans', 'submissions'], 'readwrite', STRICT);
  const refused = await transaction.objectStore('submissions').get(submissionId);
  await transaction.objectStore('submissions').delete(submissionId);
  const scans = transaction.objectStore('scans');
  for (const scan of await scans.index('submission_id').getAll(submissionId)) {
    const isThere = scan.place?.id === refused?.submission.location?.id;
    await scans.put(anew({ ...scan, place: place !== null && isThere ? placeOf(place) : scan.place }));
  }
  await transaction.done;
}

/** Deletes a refused submission and its scans, as the user decided. */
export async function discard(database: Database, submissionId: string): Promise<void> {
  const transaction = database.transaction(['scans', 'submissions'], 'readwrite');
  await transaction.objectStore('submissions').delete(submissionId);
  const scans = transaction.objectStore('scans');
  for (const seq of await scans.index('submission_id').getAllKeys(submissionId)) {
    await scans.delete(seq);
  }
  await transaction.done;
}
