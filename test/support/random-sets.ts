/**
 * How many to try, of random sets, kills or rows, where many take long: `TEST_SHARE` of them. `.ci/run` tries a part, other sets in
 * each run unless the test counts what it met; `.ci/nightly` and a developer try all. A share above 1 tries more.
 */
export function randomSets(count: number): number {
  return Math.ceil(count * SHARE);
}

/** The same of what is listed. */
export function randomPart<Each>(all: readonly Each[]): Each[] {
  return all.filter(() => Math.random() < SHARE);
}

/** All of them, or, where a share is tried, one by turns: always the same for a name. */
export function byTurns<Each>(all: readonly Each[], name: string): readonly Each[] {
  const turn = Buffer.from(name).reduce((sum, byte) => sum + byte, 0) % all.length;
  return SHARE < 1 ? all.slice(turn, turn + 1) : all;
}

/** A test that is left out where only a share is tried: it takes long, and others notice before it does when something breaks. */
export function itByNight(title: string, test: Mocha.AsyncFunc | Mocha.Func): void {
  if (SHARE >= 1) {
    it(title, test);
  }
}

const SHARE = Number(process.env['TEST_SHARE'] ?? 1);
