import type { Micros } from '../../../base/instant.ts';

/** Somebody takes scans of a submission back (tracking rule 10). */
export interface Retraction {
  orgId: number;
  /** A ULID, made by the device. */
  id: string;
  submissionId: string;
  indexes: readonly number[];
  /** Only scans of this handheld may be taken back; null for any, as by an operator. */
  ofHandheld: number | null;
  by: Retractor;
  receivedAt: Micros;
}

/** The author, kept with the retraction for good. */
export interface Retractor {
  readonly type: string;
  readonly id: string;
  readonly requestId: string | null;
}

export const RETRACTED_STATUSES = ['retracted', 'waiting', 'not_recorded'] as const;

/** The outcome for a scan. `waiting`: its submission has not arrived yet. */
export type RetractedStatus = (typeof RETRACTED_STATUSES)[number];

export interface RetractionView {
  retraction_id: string;
  submission_id: string;
  received_at: string;
  /** One for each index, ascending. */
  results: { index: number; status: RetractedStatus }[];
}

export interface Retracted {
  view: RetractionView;
  /** Whether it was received before; then the view is the original one. */
  isRepeat: boolean;
  /** Changes of histories; wake the sealer for them after the commit. */
  unsealed: number;
}

/** Distinct and ascending: retractions that differ only in order or repetitions are equal. */
export function distinctIndexes(indexes: readonly number[]): number[] {
  return [...new Set(indexes)].sort((a, b) => a - b);
}
