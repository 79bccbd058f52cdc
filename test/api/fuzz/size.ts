import { randomSets } from '../../support/random-sets.ts';

/** How many requests the fuzzer makes, over all operations: `FUZZ_REQUESTS`, or what one likes to wait for. */
export function fuzzSize(environment: NodeJS.ProcessEnv): number {
  return Number(environment['FUZZ_REQUESTS'] ?? Math.max(1_000, randomSets(3_000)));
}

/** `FUZZ_SEED` repeats a run whose seed a failure has printed. */
export function fuzzSeed(environment: NodeJS.ProcessEnv): { seed?: number } {
  const seed = environment['FUZZ_SEED'];
  return seed === undefined ? {} : { seed: Number(seed) };
}
