import type { RecomputedSoFar } from '../../../domain/tracking/recompute/recompute-organization.ts';

export function sayProgress({ orgId, assets, of, changed }: RecomputedSoFar): string {
  return `Organization ${orgId}: computed ${assets} of ${of} histories anew, ${changed} changed`;
}

export function describeRecomputed(
  { orgId, assets, changed, written, removed }: RecomputedSoFar,
  isDry: boolean,
): string {
  const would = isDry ? 'would change' : 'changed';
  return `Organization ${orgId}: ${changed} of ${assets} histories ${would}, ${written} rows written, ${removed} removed.`;
}
