import type { Micros } from '../base/instant.ts';
import type { Publication } from './encoders/encoder.ts';
import type { SiteReader } from './site.ts';

/** What is to become of a read, as `reader list` counts it. */
export type ReadOutcome = 'recorded' | 'duplicates' | 'unknown' | 'unplaced' | 'rejected';

/** A read of a registered tag at a mounted antenna. */
export interface PlacedRead {
  /** Its external key. */
  asset: string;
  location: string;
  /** By a clock that counts; null if the time of reception does. */
  at: Micros | null;
  rssi: number;
}

/** A message that a reader has ready, and what is to become of it. */
export interface Message {
  reader: SiteReader;
  /** No read in it was made earlier, but for its reader's clock. */
  readyAt: Micros;
  publication: Publication;
  kind: 'reads' | 'heartbeat' | 'broken';
  placed: readonly PlacedRead[];
  outcomes: Readonly<Record<ReadOutcome, number>>;
  isDup: boolean;
}

export const NO_OUTCOMES: Readonly<Record<ReadOutcome, number>> = {
  recorded: 0,
  duplicates: 0,
  unknown: 0,
  unplaced: 0,
  rejected: 0,
};
