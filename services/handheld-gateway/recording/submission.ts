import type { Micros } from '../../../base/instant.ts';
import type { Instant } from '../../../base/timestamps.ts';
import type { NamedLocation, ReadTag } from '../wire/fields.ts';

/** In a submission. */
export const MOST_SCANS = 1_000;

/** Times are by the device's clock. */
export interface Submission {
  id: string;
  sentAt: Instant;
  /** Location before the first scan of a location's tag; null if unknown. */
  location: NamedLocation | null;
  scans: SubmittedScan[];
}

export interface SubmittedScan extends ReadTag {
  observedAt: Instant;
  /** The device guessed the kind of tag: if no tag of that kind has the value, it may be of another. */
  guessed: boolean;
  /** dBm, or null if the device gave none. */
  rssi: number | null;
}

export interface Sender {
  orgId: number;
  handheldId: number;
  receivedAt: Micros;
}
