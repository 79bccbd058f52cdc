import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Stay } from './evidence.ts';

/** The stay at an instant. */
export function stayAt(stays: readonly Stay[], at: Micros): Stay | undefined {
  const next = firstIndex(0, stays.length, (index) => (stays[index] as Stay).since > at);
  const stay = stays[next - 1];
  return stay !== undefined && at < stay.until ? stay : undefined;
}
