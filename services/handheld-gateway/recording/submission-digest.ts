import { createHash } from 'node:crypto';
import { partsOfLocation } from '../wire/named-location.ts';
import type { Submission } from './submission.ts';

/**
 * Equal for submissions with the same content, apart from the time of sending. Computed from parsed values,
 * so that the order of keys and the notation of times and numbers do not matter.
 */
export function digestOfSubmission({ id, location, scans }: Submission): Buffer {
  const said = [
    id,
    location === null ? null : partsOfLocation(location),
    // Added only where true, so that digests of submissions without it stay what they were.
    scans.map(({ tagType, value, observedAt, rssi, guessed }) => [
      ...[tagType, value, observedAt, rssi],
      ...(guessed ? [guessed] : []),
    ]),
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest();
}
