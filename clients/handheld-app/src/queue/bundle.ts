import type { Submission } from '../gateway/answers.ts';
import type { StoredScan } from '../storage/scan.ts';

/** As many as a submission may have. */
export const MOST_SCANS = 1000;

/** Of values, in UTF-16 units: with all that is around them well below the gateway's 1 MiB, whatever the script. */
const MOST_CHARACTERS = 150_000;

/**
 * Which of the queued scans go into the next submission: the first ones, as long as each was made at the same place.
 * So what was scanned after a place's tag goes into a submission of its own, which names the place that the user was
 * shown: the tag may be another's by now, or nobody's. The tag of the place where one is already ends nothing: an RFID
 * sled reads it again and again.
 *
 * @param queued in the order they were made in.
 */
export function nextBundle(queued: readonly StoredScan[]): StoredScan[] {
  const bundle: StoredScan[] = [];
  const here = queued[0]?.place?.id ?? null;
  let characters = 0;
  for (const scan of queued) {
    characters += scan.value.length;
    const isFull = bundle.length === MOST_SCANS || (characters > MOST_CHARACTERS && bundle.length > 0);
    if (isFull || (scan.place?.id ?? null) !== here) {
      break;
    }
    bundle.push(scan);
    if (scan.sets !== null && scan.sets.id !== here) {
      break;
    }
  }
  return bundle;
}

/** The submission that says what the scans of a bundle say. */
export function submissionOf(submissionId: string, bundle: readonly StoredScan[]): Submission {
  const place = bundle[0]?.place ?? null;
  return {
    submission_id: submissionId,
    ...(place === null ? {} : { location: { id: place.id } }),
    scans: bundle.map(({ tag_type, value, observed_at }) => ({ tag_type, value, observed_at })),
  };
}
