import { createHash } from 'node:crypto';
import type { Submission } from './submission.ts';

/**
 * What tells whether two submissions say the same: all but when they were sent. It is taken of what was understood and
 * not of the bytes, so that the order of keys and the notation of times and numbers do not matter.
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
