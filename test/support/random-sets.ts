/**
 * How many random sets to try, where many take long: `TEST_SHARE` of them. `.ci/run` tries a part, other sets in each run unless the
 * test counts what it met; `.ci/nightly` and a developer try all. A share above 1 tries more.
 */
export function randomSets(count: number): number {
  return Math.ceil(count * SHARE);
}

/** The same of what is listed. */
export function randomPart<Each>(all: readonly Each[]): Each[] {
  return all.filter(() => Math.random() < SHARE);
}

const SHARE = Number(process.env['TEST_SHARE'] ?? 1);
