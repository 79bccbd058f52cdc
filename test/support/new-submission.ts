import { ulid } from 'ulid';
import type { Answer } from './declared-by.ts';

/** A scan as a device sends it. @param secondsAgo by the device's clock. */
export function aScan(value: string, secondsAgo = 1, tagType = 'rfid') {
  return { tag_type: tagType, value, observed_at: ago(secondsAgo) };
}

/** A submission with an id of its own, sent now by a clock that is right. */
export function aSubmission<Scan extends object>(scans: readonly Scan[], more: object = {}) {
  return { submission_id: ulid(), sent_at: ago(0), scans, ...more };
}

/** On the wire. */
export function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString();
}

export function statusesOf({ body }: Answer): string[] {
  return body?.data.results.map(({ status }: { status: string }) => status);
}
