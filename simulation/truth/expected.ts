import type { Micros } from '../../base/instant.ts';

/** What is to become of a read, as `reader list` counts it. */
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
  /** Its external key. */
  asset: string;
  location: string;
  /** By a clock that counts; null if the time of reception does. */
  at: Micros | null;
  rssi: number;
}

/** What is to become of a message. */
export interface Expected {
  reader: { name: string };
  publication: { ignored: number };
  kind: 'reads' | 'heartbeat' | 'broken';
  placed: readonly PlacedRead[];
  outcomes: Readonly<Record<ReadOutcome, number>>;
}
