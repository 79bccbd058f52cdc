/** Seconds before each further attempt, of Standard Webhooks: ten attempts within three days and a half. */
export const RETRY_LADDER: readonly number[] = [
  5,
  5 * 60,
  30 * 60,
  2 * 3_600,
  5 * 3_600,
  10 * 3_600,
  14 * 3_600,
  20 * 3_600,
  24 * 3_600,
];

/** Jitter, so that receivers that failed together are not retried together. */
const JITTER = 0.2;

/** Seconds; whatever `Retry-After` says. */
const LATEST = 24 * 3_600;

/**
 * Seconds until the next attempt; null if there is none.
 *
 * @param attempts how many have failed.
 * @param asked what the receiver asked for (`Retry-After`), in seconds.
 * @param random 0 to 1.
 */
export function nextAttemptIn(
  attempts: number,
  asked: number | null,
  random: number,
  ladder = RETRY_LADDER,
): number | null {
  const step = ladder[attempts - 1];
  return step === undefined ? null : Math.max(step * (1 + JITTER * random), Math.min(asked ?? 0, LATEST));
}

/**
 * Seconds to rest after events that were delivered with endless answers, since each took a connection and as many bytes as are
 * read: the first step of the ladder, doubled each time, up to the second.
 *
 * @param count such answers one after another.
 */
export function restAfter(count: number, [first = 0, second = first] = RETRY_LADDER): number {
  return count === 0 ? 0 : Math.min(first * 2 ** (count - 1), second);
}

/** Reads `Retry-After`, seconds or a date; null if it is neither. @param now milliseconds since 1970. */
export function readRetryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) {
    return null;
  }
  if (/^\d{1,9}$/.test(text)) {
    return Number(text);
  }
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, (at - now) / 1_000);
}
