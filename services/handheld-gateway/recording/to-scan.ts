import { toMicros } from '../../../base/timestamps.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import type { Sender, Submission } from './submission.ts';
import type { Step } from './walk.ts';

/**
 * Turns a step of a walk into a canonical scan. The device's clock offset at sending is added to its time, so that a
 * wrong clock does not matter.
 *
 * @param index position in the submission.
 */
export function toScan(
  { scan, locationId }: Step,
  index: number,
  { id: submissionId, sentAt }: Submission,
  { orgId, handheldId, receivedAt }: Sender,
): Scan {
  return {
    orgId,
    tagType: scan.tagType,
    value: scan.value,
    locationId,
    deviceTime: toMicros(scan.observedAt) - toMicros(sentAt) + receivedAt,
    receivedAt,
    rssi: scan.rssi,
    source: { kind: 'handheld', handheldId, submissionId, index },
  };
}
