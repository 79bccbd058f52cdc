import type { Micros } from '../../../base/instant.ts';

/** The part of a transition's deciding scan that is kept for good. */
export interface DecidingScan {
  receivedAt: Micros;
  tagType: string;
  tagValue: string;
  rssi: number | null;
  source: DecidingSource;
  /** Absent if no proof is asked for, or it is unknown. */
  proof?: Proof;
}

/** How the reads around a scan prove its statement (`location/stated-locations.ts`). */
export type Proof = (typeof PROOFS)[number];

export const PROOFS = ['only_here', 'strength', 'counts', 'position'] as const;

export type DecidingSource =
  | { kind: 'reader'; readerId: number; antenna: number }
  | { kind: 'handheld'; handheldId: number; submissionId: string; index: number };

/**
 * Negative if `a` decides where rule 1 leaves both equal: a handheld's goes before a reader's, then reader, antenna and
 * tag, or submission and index, ascending. So which scan decided does not depend on the order of arrival either.
 */
export function compareDeciding(a: Identity, b: Identity): number {
  const { source: one } = a;
  const { source: other } = b;
  if (one.kind === 'reader' && other.kind === 'reader') {
    return (
      one.readerId - other.readerId ||
      one.antenna - other.antenna ||
      compareTexts(a.tagType, b.tagType) ||
      compareTexts(a.tagValue, b.tagValue)
    );
  }
  if (one.kind === 'handheld' && other.kind === 'handheld') {
    return (
      compareTexts(a.tagType, b.tagType) ||
      compareTexts(a.tagValue, b.tagValue) ||
      compareTexts(one.submissionId, other.submissionId) ||
      one.index - other.index
    );
  }
  return one.kind === 'handheld' ? -1 : 1;
}

type Identity = Pick<DecidingScan, 'tagType' | 'tagValue' | 'source'>;

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Whether both are one scan, received at the same time, as strong, and counting by the same proof; or both are unknown. */
export function isSameScan(a: DecidingScan | null, b: DecidingScan | null): boolean {
  if (a === null || b === null) {
    return a === b;
  }
  return (
    a.receivedAt === b.receivedAt && a.rssi === b.rssi && a.proof === b.proof && compareDeciding(a, b) === 0
  );
}
