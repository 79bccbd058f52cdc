import type { Micros } from '../../../base/instant.ts';
import type { Instant } from '../../../base/timestamps.ts';
import type { ReadTag } from '../wire/tag.ts';

/** Times are by the device's clock. */
export interface Submission {
  id: string;
  /** Time of this attempt to send. */
  sentAt: Instant;
  /** Where the device is before its first scan of a location's tag; null if unknown. */
  location: NamedLocation | null;
  /** In order of scanning. */
  scans: SubmittedScan[];
}

export type NamedLocation = { id: number } | { externalKey: string } | { tag: ReadTag };

export interface SubmittedScan extends ReadTag {
  observedAt: Instant;
  /** dBm, or null if the device gave none. */
  rssi: number | null;
}

/** The sender of a submission, and when it arrived. */
export interface Sender {
  orgId: number;
  handheldId: number;
  receivedAt: Micros;
}
