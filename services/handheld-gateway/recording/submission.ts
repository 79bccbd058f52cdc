import type { Micros } from '../../../base/instant.ts';
import type { Instant } from '../../../base/timestamps.ts';
import type { ReadTag } from '../wire/tag.ts';

/** What a handheld sends at once; times are those of its own clock. */
export interface Submission {
  /** A ULID of the device's making. */
  id: string;
  /** When it was sent, this time. */
  sentAt: Instant;
  /** Where the device is before its first scan of a location's tag; null if nobody said. */
  location: NamedLocation | null;
  /** In the order in which they were made. */
  scans: SubmittedScan[];
}

/** The ways to name a location. */
export type NamedLocation = { id: number } | { externalKey: string } | { tag: ReadTag };

export interface SubmittedScan extends ReadTag {
  observedAt: Instant;
  /** dBm, or null if the device gave none. */
  rssi: number | null;
}

/** Who sent a submission, and when it came. */
export interface Sender {
  orgId: number;
  handheldId: number;
  receivedAt: Micros;
}
