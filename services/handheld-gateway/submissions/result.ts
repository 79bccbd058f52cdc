import { wireTimeOfMicros } from '../../shared/http/timestamps.ts';
import type { Micros } from '../../shared/instant.ts';
import type { Outcome } from '../../shared/tracking/scan.ts';
import type { Reference } from '../reference.ts';
import type { Move } from './moves.ts';
import type { Step } from './walk.ts';

/** What became of a scan, as its answer says it (operations section 4). */
export const STATUSES = [
  'moved',
  'seen',
  'location',
  'unknown',
  'ambiguous',
  'no_location',
  'duplicate',
  'too_late',
] as const;

export type Status = (typeof STATUSES)[number];

/** A step of the walk and what became of it. Its outcome is null for a location's tag. */
export interface Settled extends Step {
  observedAt: Micros;
  outcome: Outcome | null;
  move: Move;
}

export interface Names {
  assets: ReadonlyMap<number, Reference>;
  locations: ReadonlyMap<number, Reference>;
}

/** The answer's entry for a scan. */
export function resultView({ scan, placeId, assetId, observedAt, outcome, move }: Settled, names: Names) {
  const scannedAsset = outcome !== null && 'assetId' in outcome ? outcome.assetId : assetId;
  return {
    status: statusOf(outcome, move),
    tag_type: scan.tagType,
    value: scan.value,
    observed_at: wireTimeOfMicros(observedAt),
    asset: referenceTo(scannedAsset, names.assets),
    location: referenceTo(placeId, names.locations),
    from: referenceTo(move?.from ?? null, names.locations),
  };
}

function statusOf(outcome: Outcome | null, move: Move): Status {
  if (outcome === null) {
    return 'location';
  }
  switch (outcome.status) {
    case 'recorded':
      return move === null ? 'seen' : 'moved';
    case 'unplaced':
      return 'no_location';
    case 'rejected':
      return 'too_late';
    default:
      return outcome.status;
  }
}

function referenceTo(id: number | null, names: ReadonlyMap<number, Reference>): Reference | null {
  return id === null ? null : (names.get(id) ?? null);
}
