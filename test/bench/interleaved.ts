/**
 * Measures everything once, then everything again, and so on, each time beginning with another: what else the machine
 * does falls on all alike. The first round warms up and does not count.
 *
 * @returns of each, its measurements in the order of the rounds.
 */
export async function interleaved<Name extends string, Result>(
  repetitions: number,
  measurements: Readonly<Record<Name, () => Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(measurements) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round <= repetitions; round++) {
    const shift = round % names.length;
    for (const name of [...names.slice(shift), ...names.slice(0, shift)]) {
      const result = await measurements[name]();
      if (round > 0) {
        results[name].push(result);
      }
    }
  }
  return results;
}
