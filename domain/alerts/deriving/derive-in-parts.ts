import { append } from '../../../base/append.ts';
import { TooMuchTogether, TooMuchWork } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { slicesOf } from '../../../base/slices-of.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { deriveSubjects, type Looked, type Wanted } from './derive-subjects.ts';
import { loadReaching, type Reaching, type Since, sinceOf } from './load-reaching.ts';
import { DERIVED_BACK } from './rules-of-organization.ts';
import type { SinceWhen } from './since-when.ts';

/** Assets in a statement, at most, and by how many rules all of them: each may have several alerts of each. */
const BATCH = { assets: 1_000, times: 10_000 };

/** Number of batches whose existing alerts are loaded at once. */
const BATCHES = 4;

/** Assets of similar age are derived together: the evidence of a group goes back as far as its oldest member needs. */
const AGES = [600, 3_600, 6 * 3_600, 86_400, 7 * 86_400].map((seconds) => seconds * MICROS_PER_SECOND);

/** If there is too much evidence. */
const AGAIN_AFTER: Micros = 3_600 * MICROS_PER_SECOND;

export interface Derivation {
  looked: Looked[];
  /** The rest, each with its instant. */
  left: Since[];
}

/**
 * Derives conditions that began before `now`, for which all evidence has arrived.
 *
 * @param isLate whether it has taken long enough; some are looked at in any case.
 */
export async function derive(
  db: Connection,
  wanted: Wanted,
  work: SinceWhen,
  { now, isLate }: { now: Micros; isLate(): boolean },
): Promise<Derivation> {
  const done: Derivation = { looked: [], left: [] };
  if (wanted.rules.size === 0) {
    return done;
  }
  const begun = work.entries().flatMap(([id, since]) => (since < now ? [{ id, since }] : []));
  const size = Math.min(BATCH.assets, Math.ceil(BATCH.times / wanted.rules.size));
  for (const some of slicesOf(begun, BATCHES * size)) {
    if (isLate() && done.looked.length > 0) {
      append(done.left, some);
      continue;
    }
    const subjects = await loadReaching(db, wanted, some, now - DERIVED_BACK);
    const ofAges = Map.groupBy(subjects, (each) => AGES.findIndex((age) => now - sinceOf(each) <= age));
    const since = new Map(some.map((each) => [each.id, each]));
    const parts = [...ofAges.values()].flatMap((own) => [...slicesOf(own, size)]).toReversed();
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      if (isLate() && done.looked.length > 0) {
        append(
          done.left,
          part.flatMap(({ id }) => since.get(id) ?? []),
        );
      } else {
        const looked = await deriveIfBounded(db, wanted, part, now);
        if (typeof looked === 'number') {
          // The first last: it is taken from the end.
          append(parts, [...slicesOf(part, looked)].toReversed());
        } else {
          append(done.looked, looked);
        }
      }
    }
  }
  return done;
}

/** How many to take together where there is too much evidence of several; a single one with too much is skipped for an hour. */
async function deriveIfBounded(
  db: Connection,
  wanted: Wanted,
  subjects: readonly Reaching[],
  now: Micros,
): Promise<Looked[] | number> {
  try {
    return await deriveSubjects(db, wanted, subjects, now);
  } catch (error) {
    if (!(error instanceof TooMuchWork)) {
      throw error;
    }
    if (subjects.length > 1) {
      return error instanceof TooMuchTogether ? error.fits : Math.ceil(subjects.length / 2);
    }
  }
  const next = now + AGAIN_AFTER;
  const unknown = { expected: null, heard: [], overdueSince: null, isAlerted: true, isChanged: false };
  return subjects.map(({ id, overdueSince: since }) => ({ id, since, next, ...unknown, isUnknown: true }));
}
