import type { Micros } from '../../../base/instant.ts';
import { type Instant, toMicros } from '../../../base/timestamps.ts';

/**
 * A time of the device's clock by ours: what its clock was off when it sent is added, so that a wrong clock does not
 * matter as long as it ran.
 */
export function byOurClock(
  deviceTime: Instant,
  { sentAt, receivedAt }: { sentAt: Instant; receivedAt: Micros },
): Micros {
  return toMicros(deviceTime) - toMicros(sentAt) + receivedAt;
}
