import type { Submission } from '../gateway/answers.ts';
import type { StoredScan } from '../storage/scan.ts';

/** The gateway's limit. */
export const MOST_SCANS = 1000;

/** UTF-16 units of values: with everything around them well below the gateway's 1 MiB, in any script. */
const MOST_CHARACTERS = 150_000;

/**
 * The queued scans of the next submission: the first ones, as far as they were made at one place. So scans after a
 * place's tag get a submission of their own, which names the place that the user was shown: the tag may be another's by
 * now, or nobody's. The tag of the current place ends nothing: an RFID sled reads it over and over.
 *
 * @param queued in order of scanning.
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

export function submissionOf(submissionId: string, bundle: readonly StoredScan[]): Submission {
  const place = bundle[0]?.place ?? null;
  return {
    submission_id: submissionId,
    ...(place === null ? {} : { location: { id: place.id } }),
    scans: bundle.map(({ tag_type, guessed = false, value, observed_at }) => ({
      tag_type,
      ...(guessed ? { guessed } : {}),
      value,
      observed_at,
    })),
  };
}
