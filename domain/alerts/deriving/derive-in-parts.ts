import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { TooMuchEvidence } from '../../presence/load-listening.ts';
import { deriveSubjects, type Looked, type Wanted } from './derive-subjects.ts';
import { loadReaching, type Reaching, sinceOf } from './load-reaching.ts';
import { DERIVED_BACK } from './rules-of-organization.ts';
import type { SinceWhen } from './since-when.ts';

/** Assets in a statement. */
const BATCH = 1_000;

/** Looked at together: the evidence of all goes back as far as that of the one that is looked at from when on. */
const AGES = [60, 600, 3_600, 6 * 3_600, 86_400, 7 * 86_400].map((seconds) => seconds * MICROS_PER_SECOND);

/** Where there is too much evidence. */
const AGAIN_AFTER: Micros = 3_600 * MICROS_PER_SECOND;

/** Derives what began before `now`, of which all evidence is there. */
export async function derive(
  db: Connection,
  wanted: Wanted,
  work: SinceWhen,
  now: Micros,
): Promise<Looked[]> {
  if (wanted.rules.size === 0) {
    return [];
  }
  const looked: Looked[] = [];
  const begun = work.entries().flatMap(([id, { since }]) => (since < now ? [{ id, since }] : []));
  const subjects = await loadReaching(db, wanted, begun, now - DERIVED_BACK);
  const ofAges = Map.groupBy(subjects, (each) => AGES.findIndex((age) => now - sinceOf(each) <= age));
  for (const alike of ofAges.values()) {
    for (let at = 0; at < alike.length; at += BATCH) {
      looked.push(...(await deriveInParts(db, wanted, alike.slice(at, at + BATCH), now)));
    }
  }
  return looked;
}

/** Fewer at a time where there is too much evidence; of one of which there is too much alone nothing is known for an hour. */
async function deriveInParts(
  db: Connection,
  wanted: Wanted,
  subjects: readonly Reaching[],
  now: Micros,
): Promise<Looked[]> {
  try {
    return await deriveSubjects(db, wanted, subjects, now);
  } catch (error) {
    if (!(error instanceof TooMuchEvidence)) {
      throw error;
    }
  }
  if (subjects.length === 1) {
    const next = now + AGAIN_AFTER;
    const unknown = { expected: null, heard: [], overdueSince: null, isAlerted: true, isChanged: false };
    return subjects.map(({ id, overdueSince: since }) => ({ id, since, next, ...unknown, isUnknown: true }));
  }
  const half = Math.ceil(subjects.length / 2);
  return [
    ...(await deriveInParts(db, wanted, subjects.slice(0, half), now)),
    ...(await deriveInParts(db, wanted, subjects.slice(half), now)),
  ];
}
