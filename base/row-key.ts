import type { Micros } from './instant.ts';

/**
 * The key of a row of an asset's history, in the history and in the events of the feed: unique to the microsecond, where
 * the wire shows milliseconds, and in order of time as text. Opaque to callers.
 */
export function rowKey(observedAt: Micros): string {
  return String(observedAt).padStart(16, '0');
}
