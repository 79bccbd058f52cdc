import { toMicros } from '../../shared/http/timestamps.ts';
import type { Scan } from '../../shared/tracking/scan.ts';
import type { Sender, Submission } from './submission.ts';
import type { Step } from './walk.ts';

/**
 * The steps of a walk as canonical scans. What the device's clock differed from ours when it sent is added to every
 * time, so that it may be as wrong as it likes.
 */
export function toScans(
  steps: readonly Step[],
  { id: submissionId, sentAt }: Submission,
  { orgId, handheldId, receivedAt }: Sender,
): Scan[] {
  const correction = receivedAt - toMicros(sentAt);
  return steps.map(({ scan, placeId }, index) => ({
    orgId,
    tagType: scan.tagType,
    value: scan.value,
    locationId: placeId,
    deviceTime: toMicros(scan.observedAt) + correction,
    receivedAt,
    rssi: scan.rssi,
    source: { kind: 'handheld', handheldId, submissionId, index },
  }));
}
