/**
 * How many random sets to try on a database. On the second one of a CI run it is a fifth: what is made of scans is the same
 * there, and whether its tables hold it shows in a few.
 */
export function randomSets(count: number): number {
  return process.env['TEST_REQUIRE_TIMESCALEDB'] === '1' ? Math.ceil(count / 5) : count;
}
