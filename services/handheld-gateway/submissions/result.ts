import { withoutTokens } from '../../../base/tag-secrets.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { Reference } from '../reference.ts';
import type { SettledStep } from './settle.ts';

/** What became of a scan, as its answer says it (docs/handhelds.md). */
export const STATUSES = [
  'moved',
  'seen',
  'location',
  'unknown',
  'ambiguous',
  'no_location',
  'duplicate',
  'too_late',
  'unusable',
] as const;

export type Status = (typeof STATUSES)[number];

/** Assets and locations by id. */
export interface Names {
  assets: ReadonlyMap<number, Reference>;
  locations: ReadonlyMap<number, Reference>;
}

/** The answer's entry for a scan. */
export function resultView(step: SettledStep, { assets, locations }: Names) {
  const { scan, placeId, observedAt, move } = step;
  return {
    status: statusOf(step),
    tag_type: scan.tagType,
    // The answer is kept.
    value: withoutTokens(scan.value),
    observed_at: wireTimeOfMicros(observedAt),
    asset: referenceTo(assetIdOf(step), assets),
    location: referenceTo(placeId, locations),
    from: referenceTo(move?.from ?? null, locations),
  };
}

/** The asset that was scanned, or null. */
export function assetIdOf({ outcome, assetId }: SettledStep): number | null {
  return outcome !== null && 'assetId' in outcome ? outcome.assetId : assetId;
}

function statusOf({ outcome, move }: SettledStep): Status {
  if (outcome === null) {
    return 'location';
  }
  switch (outcome.status) {
    case 'recorded':
      return move === null ? 'seen' : 'moved';
    case 'unplaced':
      return 'no_location';
    case 'rejected':
      return outcome.cause === 'secret' ? 'unusable' : 'too_late';
    default:
      return outcome.status;
  }
}

function referenceTo(id: number | null, names: ReadonlyMap<number, Reference>): Reference | null {
  return id === null ? null : (names.get(id) ?? null);
}
