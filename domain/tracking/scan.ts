import type { Micros } from '../../base/instant.ts';
import type { Readings } from './reading-kind.ts';
import type { TagType } from './tag-type.ts';

/**
 * The canonical scan: one observation of one tag by any device. Readers and handhelds only translate into it;
 * everything after is common.
 */
export interface Scan {
  /** From the device's registration, never from its message. */
  orgId: number;
  tagType: TagType;
  /** As read, normalised by the reader's format; 1 to 255 characters. */
  value: string;
  /** The antenna's location, or the one the handheld's user named; null for none. */
  locationId: number | null;
  /** The device's clock at the observation; null if it has none. */
  deviceTime: Micros | null;
  /** This service's clock. */
  receivedAt: Micros;
  /** dBm; null if the device reports none. */
  rssi: number | null;
  source: ReaderSource | HandheldSource;
  /** The values that the tag measured; absent for nearly all. */
  readings?: Readings;
}

export interface ReaderSource {
  kind: 'reader';
  readerId: number;
  /** Its number; 0 for an unregistered name: such a scan is never placed. */
  antenna: number;
  /** Excluded by the settings of the antenna (disabled, minimum RSSI). */
  isShutOut: boolean;
  /** False: unknown tags are not listed. */
  reportUnknown: boolean;
  /** True for a repeated message, whose unknown tags have been counted. */
  isRedelivery: boolean;
}

export interface HandheldSource {
  kind: 'handheld';
  handheldId: number;
  submissionId: string;
  index: number;
  /** The retraction that came before it and takes it back: it is stored, and makes no history. */
  retractionId?: string;
}

/** Tracking rule 6. Each scan has exactly one. */
export type Outcome =
  | {
      status: 'recorded';
      assetId: number;
      observedAt: Micros;
      timeIsReceived: boolean;
      move: MovedFrom | null;
    }
  /** Stored already; at most its RSSI is raised. */
  | { status: 'duplicate'; assetId: number; observedAt: Micros }
  /** No live tag of a live asset. `tagLocationId`: the location that has the tag. `locationId`: where it was read. */
  | { status: 'unknown'; observedAt: Micros; locationId: number | null; tagLocationId: number | null }
  /** Several tags share the key and none has exactly this value. */
  | { status: 'ambiguous'; observedAt: Micros; locationId: number | null }
  /** No live location; or disabled, and the tag not looked up (`assetId` is null). */
  | { status: 'unplaced'; assetId: number | null }
  | { status: 'rejected'; cause: 'too_late' | 'secret'; reason: string };

/** The location before the move; null if the asset had never been seen. */
export interface MovedFrom {
  from: number | null;
}

export type OutcomeStatus = Outcome['status'];
