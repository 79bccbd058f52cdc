import type { Micros } from '../../../base/instant.ts';
import { withoutTokens } from '../../../base/tag-secrets.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { Outcome } from '../../../domain/tracking/scan.ts';
import type { Reference } from '../wire/reference.ts';
import type { Step } from './walk.ts';

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

export interface RecordedStep extends Step {
  observedAt: Micros;
  /** Null for a location's tag, which is no scan of an asset. */
  outcome: Outcome | null;
}

export interface Names {
  assets: ReadonlyMap<number, Reference>;
  locations: ReadonlyMap<number, Reference>;
}

export function resultView(step: RecordedStep, { assets, locations }: Names) {
  const { scan, locationId, observedAt } = step;
  return {
    status: statusOf(step),
    tag_type: scan.tagType,
    // The answer is stored.
    value: withoutTokens(scan.value),
    observed_at: wireTimeOfMicros(observedAt),
    asset: referenceTo(assetIdOf(step), assets),
    location: referenceTo(locationId, locations),
    from: referenceTo(cameFrom(step), locations),
  };
}

export function assetIdOf({ outcome, assetId }: RecordedStep): number | null {
  return outcome !== null && 'assetId' in outcome ? outcome.assetId : assetId;
}

export function cameFrom({ outcome }: RecordedStep): number | null {
  return outcome?.status === 'recorded' ? (outcome.move?.from ?? null) : null;
}

function statusOf({ outcome }: RecordedStep): Status {
  if (outcome === null) {
    return 'location';
  }
  switch (outcome.status) {
    case 'recorded':
      return outcome.move === null ? 'seen' : 'moved';
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
