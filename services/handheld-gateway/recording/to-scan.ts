import type { Scan } from '../../../domain/tracking/scan.ts';
import { byOurClock } from './by-our-clock.ts';
import type { Sender, Submission } from './submission.ts';
import type { Step } from './walk.ts';

/**
 * Turns a step of a walk into a canonical scan.
 *
 * @param index position in the submission.
 * @param retractionId the retraction that has taken it back already, if any.
 */
export function toScan(
  { scan, locationId }: Step,
  index: number,
  { id: submissionId, sentAt }: Submission,
  { orgId, handheldId, receivedAt }: Sender,
  retractionId: string | undefined,
): Scan {
  return {
    orgId,
    tagType: scan.tagType,
    value: scan.value,
    locationId,
    deviceTime: byOurClock(scan.observedAt, { sentAt, receivedAt }),
    receivedAt,
    rssi: scan.rssi,
    source: {
      kind: 'handheld',
      handheldId,
      submissionId,
      index,
      ...(retractionId === undefined ? {} : { retractionId }),
    },
  };
}
