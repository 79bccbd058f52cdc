/** Calls for so long, by so many callers who each wait for their answer. */
export async function callFor(
  atLeast: number,
  callers: number,
  call: (index: number) => Promise<unknown>,
): Promise<{ calls: number; seconds: number }> {
  const start = performance.now();
  let calls = 0;
  const caller = async () => {
    while (performance.now() < start + atLeast * 1_000) {
      calls += 1;
      await call(calls);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { calls, seconds: (performance.now() - start) / 1_000 };
}

/** Ids in no order that a cache or an index likes. */
export function spreadId(call: number, ids: number): number {
  return 1 + ((call * 7_919) % ids);
}
