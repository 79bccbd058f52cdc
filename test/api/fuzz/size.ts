/**
 * How many requests the fuzzer makes, over all operations: `FUZZ_REQUESTS`, or what a developer likes to wait for, or
 * in CI, whose two runs make 20,000 together.
 */
export function fuzzSize(environment: NodeJS.ProcessEnv): number {
  const initial = environment['TEST_REQUIRE_ALL'] === '1' ? 10_000 : 3_000;
  return Number(environment['FUZZ_REQUESTS'] ?? initial);
}

/** `FUZZ_SEED` repeats a run whose seed a failure has printed. */
export function fuzzSeed(environment: NodeJS.ProcessEnv): { seed?: number } {
  const seed = environment['FUZZ_SEED'];
  return seed === undefined ? {} : { seed: Number(seed) };
}
