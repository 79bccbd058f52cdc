import type { Micros } from '../../base/instant.ts';
import type { TagType } from './tag-type.ts';

/**
 * The canonical scan: one observation of one tag, whatever device made it. Fixed readers and handhelds only turn
 * what they received into these; everything after is common.
 */
export interface Scan {
  /** From the device's registration, never from what it sent. */
  orgId: number;
  tagType: TagType;
  /** As read, normalised by the reader's format; 1 to 255 characters. */
  value: string;
  /** Where the device is or says it is: an antenna's location, a person's place; null if that is nowhere. */
  locationId: number | null;
  /** The device's own clock at the observation, or null if it has none. */
  deviceTime: Micros | null;
  /** When this service received it. */
  receivedAt: Micros;
  /** Signal strength in dBm, or null if the device gave none. */
  rssi: number | null;
  source: ReaderSource | HandheldSource;
}

export interface ReaderSource {
  kind: 'reader';
  readerId: number;
  antenna: number;
  /** True where the antenna's settings (disabled, minimum RSSI) shut this read out. */
  isShutOut: boolean;
  /** Whether an unknown tag is worth a row in the list of unknown tags. */
  reportUnknown: boolean;
  /** True for a message received before, whose unknown tags have been counted. */
  isRedelivery: boolean;
}

export interface HandheldSource {
  kind: 'handheld';
  handheldId: number;
  submissionId: string;
  index: number;
}

/** What became of a scan. Exactly one of these, for each. */
export type Outcome =
  | {
      status: 'recorded';
      assetId: number;
      observedAt: Micros;
      timeIsReceived: boolean;
      move: MovedFrom | null;
    }
  /** Known already; nothing was written, but for a stronger RSSI. */
  | { status: 'duplicate'; assetId: number; observedAt: Micros }
  /** No live tag of a live asset; `tagLocationId` is that of a location's tag. Read at `locationId`. */
  | { status: 'unknown'; observedAt: Micros; locationId: number | null; tagLocationId: number | null }
  /** Several tags share the key and none has the value. */
  | { status: 'ambiguous'; observedAt: Micros; locationId: number | null }
  /** The tag is known, the location is not. */
  | { status: 'unplaced'; assetId: number | null }
  | { status: 'rejected'; cause: 'too_late' | 'secret'; reason: string };

/** Where an asset was before a scan that moved it; null if it had never been seen. */
export interface MovedFrom {
  from: number | null;
}

export type OutcomeStatus = Outcome['status'];
