import { MICROS_PER_MILLISECOND, type Micros } from '../../base/instant.ts';
import type { Item, Mapped } from '../formats/mapping/run.ts';
import type { RegisteredReader } from './load-readers.ts';

/**
 * Devices start in the year of their firmware until their clock is set. A time that is too late, and from before the reader was
 * registered, is such a one: the read counts when it was received.
 *
 * @returns the same, nearly always.
 */
export function withoutUnsetTimes(
  reader: RegisteredReader | null,
  mapped: Mapped,
  receivedAt: Micros,
  lateness: Micros,
): Mapped {
  if (reader === null || mapped.outcome !== 'items') {
    return mapped;
  }
  const earliest = Math.min(reader.registeredAt, receivedAt - lateness);
  return mapped.items.some((item) => isBefore(item, earliest))
    ? {
        outcome: 'items',
        items: mapped.items.map((item) => (isBefore(item, earliest) ? undated(item) : item)),
      }
    : mapped;
}

type ReadItem = Item & { outcome: 'read' };

function isBefore(item: Item, earliest: Micros): item is ReadItem {
  return item.outcome === 'read' && item.read.deviceTime !== null && item.read.deviceTime < earliest;
}

function undated({ read }: ReadItem): ReadItem {
  const { deviceTime, unusable } = read;
  const unsetClock = new Date((deviceTime ?? 0) / MICROS_PER_MILLISECOND).toISOString();
  return { outcome: 'read', read: { ...read, deviceTime: null, unusable: { ...unusable, unsetClock } } };
}
