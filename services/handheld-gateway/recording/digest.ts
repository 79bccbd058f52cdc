import { createHash } from 'node:crypto';
import type { Submission } from './submission.ts';

/**
 * Equal for submissions that say the same, except for the time of sending. Computed from parsed values, so that the
 * order of keys and the notation of times and numbers do not matter.
 */
export function digestOf({ id, location, scans }: Submission): Buffer {
  const said = [
    id,
    location === null ? null : placeOf(location),
    scans.map(({ tagType, value, observedAt, rssi }) => [tagType, value, observedAt, rssi]),
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest();
}

function placeOf(location: NonNullable<Submission['location']>): unknown[] {
  if ('tag' in location) {
    return ['tag', location.tag.tagType, location.tag.value];
  }
  return 'id' in location ? ['id', location.id] : ['external_key', location.externalKey];
}
