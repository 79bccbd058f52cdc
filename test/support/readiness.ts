import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';

export interface Readiness {
  status: number;
  checks: Record<string, string>;
}

/** Milliseconds, after which the last answer is compared, for the message. */
const PATIENCE = 20_000;

/** Waits for an answer of `/readyz`: a check of which nothing is heard for 2 s, as on a machine that stands still, fails for once. */
export async function untilReadiness(url: string, expected: Readiness): Promise<void> {
  const since = performance.now();
  let last = await readinessOf(url);
  while (!isDeepStrictEqual(last, expected) && performance.now() - since < PATIENCE) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    last = await readinessOf(url);
  }
  expect(last).to.deep.equal(expected);
}

/** As {@link untilReadiness}, of the status alone. */
export async function untilReady(url: string): Promise<void> {
  const { checks } = await readinessOf(url);
  await untilReadiness(url, {
    status: 200,
    checks: Object.fromEntries(Object.keys(checks).map((name) => [name, 'ok'])),
  });
}

async function readinessOf(url: string): Promise<Readiness> {
  const answer = await fetch(`${url}/readyz`);
  const { checks } = (await answer.json()) as { checks: Record<string, string> };
  return { status: answer.status, checks };
}
