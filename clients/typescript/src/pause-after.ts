import type { Asked } from './ask-for-moves.ts';

/** Milliseconds until it is asked again, in vain so often in a row. */
export function pauseAfter({ moves, response, took }: Asked, failures: number): number {
  // Those who share a service should not all come back at once.
  const jitter = 0.5 + Math.random();
  if (moves === null) {
    const told = (Number(response?.headers.get('Retry-After')) || 0) * 1000;
    return response?.status === 429 && told > 0
      ? told + 250 * jitter
      : Math.max(told, Math.min(LONGEST_PAUSE, 500 * 2 ** (failures - 1)) * jitter);
  }
  if (moves.length === 0 && took < 1000) {
    // It stops, or too many wait.
    return 1000 * jitter;
  }
  const [limit, left] = ['Limit', 'Remaining'].map((name) =>
    Number(response?.headers.get(`X-RateLimit-${name}`) ?? Number.POSITIVE_INFINITY),
  ) as [number, number];
  return left < limit / 2 ? 60_000 / limit : 0;
}

const LONGEST_PAUSE = 30_000;
