import { toMicros } from '../../../base/timestamps.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import type { Sender, Submission } from './submission.ts';
import type { Step } from './walk.ts';

/**
 * A step of a walk as a canonical scan. What the device's clock differed from ours when it sent is added to its time,
 * so that the clock may be as wrong as it likes.
 *
 * @param index its place in the submission.
 */
export function toScan(
  { scan, placeId }: Step,
  index: number,
  { id: submissionId, sentAt }: Submission,
  { orgId, handheldId, receivedAt }: Sender,
): Scan {
  return {
    orgId,
    tagType: scan.tagType,
    value: scan.value,
    locationId: placeId,
    deviceTime: toMicros(scan.observedAt) - toMicros(sentAt) + receivedAt,
    receivedAt,
    rssi: scan.rssi,
    source: { kind: 'handheld', handheldId, submissionId, index },
  };
}
