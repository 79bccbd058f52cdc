import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../../presence/intervals.ts';
import { TooMuchEvidence } from '../../presence/load-listening.ts';
import { deriveSubjects, type Looked, type Wanted } from './derive-subjects.ts';
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
  wanted: Omit<Wanted, 'ids'>,
  work: SinceWhen,
  now: Micros,
): Promise<Looked[]> {
  if (wanted.rules.size === 0) {
    return [];
  }
  const looked: Looked[] = [];
  const begun = work.entries().filter(([, { since }]) => since < now);
  const ofAges = Map.groupBy(begun, ([, { since }]) => AGES.findIndex((age) => now - since <= age));
  for (const alike of ofAges.values()) {
    for (let at = 0; at < alike.length; at += BATCH) {
      const some = alike.slice(at, at + BATCH);
      const since = some.reduce((first, [, each]) => Math.min(first, each.since), now);
      const ids = some.map(([id]) => id);
      const window = { since, until: now };
      looked.push(...(await deriveInParts(db, { ...wanted, ids }, window, now - DERIVED_BACK)));
    }
  }
  return looked;
}

/** Fewer at a time where there is too much evidence; of one of which there is too much alone nothing is said for an hour. */
async function deriveInParts(
  db: Connection,
  wanted: Wanted,
  window: Interval,
  earliest: Micros,
): Promise<Looked[]> {
  try {
    return await deriveSubjects(db, wanted, window, earliest);
  } catch (error) {
    if (!(error instanceof TooMuchEvidence)) {
      throw error;
    }
  }
  const { ids } = wanted;
  if (ids.length === 1) {
    return ids.map((id) => ({ id, next: window.until + AGAIN_AFTER, isAlerted: true, overdueSince: null }));
  }
  const half = Math.ceil(ids.length / 2);
  return [
    ...(await deriveInParts(db, { ...wanted, ids: ids.slice(0, half) }, window, earliest)),
    ...(await deriveInParts(db, { ...wanted, ids: ids.slice(half) }, window, earliest)),
  ];
}
