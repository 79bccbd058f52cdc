import type { Micros } from '../../base/instant.ts';

/** When something happened, as well as can be told: exactly if both are the same. */
export interface Span {
  earliest: Micros;
  latest: Micros;
}

export function isExact({ earliest, latest }: Span): boolean {
  return earliest === latest;
}

/** When the first of two happened. */
export function firstOf(a: Span, b: Span): Span {
  return { earliest: Math.min(a.earliest, b.earliest), latest: Math.min(a.latest, b.latest) };
}

/** When the last of two happened. */
export function lastOf(a: Span, b: Span): Span {
  return { earliest: Math.max(a.earliest, b.earliest), latest: Math.max(a.latest, b.latest) };
}
