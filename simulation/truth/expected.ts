import type { Micros } from '../../base/instant.ts';

/** Expected outcome of a read, as `reader list` counts it. */
export type ReadOutcome = 'recorded' | 'duplicates' | 'unknown' | 'unplaced' | 'rejected';

export const NO_OUTCOMES: Readonly<Record<ReadOutcome, number>> = {
  recorded: 0,
  duplicates: 0,
  unknown: 0,
  unplaced: 0,
  rejected: 0,
};

/** A read of a registered tag at a mounted antenna. */
export interface PlacedRead {
  asset: string;
  location: string;
  /** By a usable clock; null if the time of reception counts. */
  at: Micros | null;
  rssi: number;
  port: number;
  tagType: string;
  tag: string;
}

/** Expected outcome of a message. */
export interface Expected {
  reader: { name: string };
  publication: { ignored: number };
  kind: 'reads' | 'heartbeat' | 'broken';
  placed: readonly PlacedRead[];
  outcomes: Readonly<Record<ReadOutcome, number>>;
}
