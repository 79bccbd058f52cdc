import { createHash } from 'node:crypto';
import { partsOfLocation } from '../wire/named-location.ts';
import type { SentSweep } from './sent-sweep.ts';

/** Equal for sweeps with the same content, apart from the time of sending; of parsed values, as for submissions. */
export function digestOfSweep(sweep: SentSweep): Buffer {
  const said = [
    sweep.id,
    partsOfLocation(sweep.location),
    sweep.beganAt,
    sweep.endedAt,
    sweep.includeDescendants,
    sweep.expected,
    sweep.found,
    sweep.movedHere,
    sweep.missing,
    sweep.unknown,
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest();
}
