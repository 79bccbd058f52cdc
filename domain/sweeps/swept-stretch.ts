import type { Micros } from '../../base/instant.ts';
import { isDeviceTimeUsed } from '../tracking/observed-at.ts';

/**
 * When a sweep was under way, from the device's times, corrected for the error of its clock. As for scans, a time
 * before 2015 or well ahead of the reception comes from a clock that was set meanwhile: the end is then the reception,
 * and the beginning the end, so that no time is claimed in which nobody may have looked.
 *
 * @returns null if it ended before it began, by two times that would count.
 */
export function sweptStretch(
  { beganAt, endedAt }: { beganAt: Micros; endedAt: Micros },
  receivedAt: Micros,
): { beganAt: Micros; endedAt: Micros } | null {
  const isUsable = (deviceTime: Micros) => isDeviceTimeUsed({ deviceTime, receivedAt });
  if (isUsable(beganAt) && isUsable(endedAt) && endedAt < beganAt) {
    return null;
  }
  const end = isUsable(endedAt) ? Math.min(endedAt, receivedAt) : receivedAt;
  return { beganAt: isUsable(beganAt) ? Math.min(beganAt, end) : end, endedAt: end };
}
