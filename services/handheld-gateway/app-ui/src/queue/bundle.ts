import type { Submission } from '../gateway/answers.ts';
import type { StoredScan } from './scan.ts';

/** As many as a submission may have. */
export const MOST_SCANS = 1000;

/** Of values, in UTF-16 units: with all that is around them well below the gateway's 1 MiB, whatever the script. */
const MOST_CHARACTERS = 150_000;

/**
 * Which of the queued scans go into the next submission: the first ones, as long as each was made where the gateway
 * will take the walk to be. So a submission ends where the user chose another place by hand, and goes on over the tags
 * of locations that the user scanned.
 *
 * @param queued in the order they were made in.
 */
export function nextBundle(queued: readonly StoredScan[]): StoredScan[] {
  const bundle: StoredScan[] = [];
  let here = queued[0]?.place?.id ?? null;
  let characters = 0;
  for (const scan of queued) {
    characters += scan.value.length;
    const isFull = bundle.length === MOST_SCANS || (characters > MOST_CHARACTERS && bundle.length > 0);
    if (isFull || (scan.place?.id ?? null) !== here) {
      break;
    }
    bundle.push(scan);
    here = scan.sets?.id ?? here;
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
