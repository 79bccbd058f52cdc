import { Counter, type Registry } from 'prom-client';
import { Problem } from '../http/problem.ts';
import { integerSetting } from '../runtime/setting-kinds.ts';
import { bucketOf, MemoryStore, retryAfter } from './bucket.ts';

export const SIGN_IN_FAILURES_PER_MINUTE = integerSetting(
  'how many requests a minute without a valid credential one address gets a 401 for; more get a 429. Valid ones are not affected',
  { initial: 600, min: 1, max: 60_000 },
);

export type RefuseSignIn = (refusal: Problem, address: string | undefined) => Problem;

/**
 * Rate-limits failed sign-ins per address: beyond its bucket an address gets 429, and its connection ends
 * with everything else sent on it (1 MB of unknown keys in one go was answered with 9 MB). Only failures
 * count and only failures are refused, because many clients share an address behind a proxy.
 *
 * @param monotonic microseconds on a monotonic clock.
 * @param registry gets one counter, without a series per address.
 */
export function limitSignInFailures(
  perMinute: number,
  monotonic: () => number,
  registry: Registry,
): RefuseSignIn {
  const counter = new Counter({
    name: 'tagtrail_http_sign_in_failures_total',
    help: 'Requests without a good credential: refused (401), or limited (429, beyond SIGN_IN_FAILURES_PER_MINUTE).',
    labelNames: ['answer'] as const,
    registers: [registry],
  });
  counter.inc({ answer: 'refused' }, 0);
  counter.inc({ answer: 'limited' }, 0);
  const bucket = bucketOf(perMinute, perMinute);
  const failures = new MemoryStore(bucket, monotonic);
  return (refusal, address = '') => {
    const { isAllowed, debt } = failures.take(networkOf(address), 1);
    counter.inc({ answer: isAllowed ? 'refused' : 'limited' });
    if (isAllowed) {
      return refusal;
    }
    const seconds = retryAfter(debt, bucket, 1);
    const detail = `Retry after ${seconds} seconds; too many requests from this address had no good credential`;
    const headers = { 'Retry-After': String(seconds), Connection: 'close' };
    return new Problem('rate_limited', detail, {
      headers,
      ...(refusal.caller && { caller: refusal.caller }),
    });
  };
}

/** For IPv6 the subscriber's /64. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) {
    return address.replace(/^::ffff:/i, '');
  }
  const [head = '', tail = ''] = address.replace(/%.*$/, '').split('::');
  const [first, last] = [head, tail].map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = new Array(Math.max(0, 8 - (first?.length ?? 0) - (last?.length ?? 0))).fill('0');
  const groups = address.includes('::') ? [...(first ?? []), ...zeros, ...(last ?? [])] : (first ?? []);
  return groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':');
}
