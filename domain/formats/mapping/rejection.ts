import { TAG_TYPES } from '../../tracking/tag-type.ts';
import { faultOfTagValue } from './acceptance.ts';
import type { Candidate } from './candidate.ts';
import type { Scope } from './scope.ts';
import { shown } from './values/printable.ts';

export function whyNoTagType(candidates: readonly Candidate[], scope: Scope): string {
  for (const candidate of candidates) {
    const source = candidate.source(scope);
    if (source !== undefined && source !== null) {
      return `tag type ${shown(source)} is none of: ${TAG_TYPES.join(', ')}`;
    }
  }
  return `no tag type (${placesOf(candidates)})`;
}

export function whyNoValue(candidates: readonly Candidate[], scope: Scope): string {
  for (const candidate of candidates) {
    const source = candidate.source(scope);
    if (source === undefined || source === null) {
      continue;
    }
    const value = candidate.read(scope);
    if (value === undefined || value === null) {
      return `value ${shown(source)} (${candidate.name}) is not of the kind that the format expects`;
    }
    if (typeof value !== 'string') {
      return `value ${shown(value)} (${candidate.name}) is not a text`;
    }
    return `value ${shown(value)} (${candidate.name}) ${faultOfTagValue(value) ?? 'is not usable'}`;
  }
  return `no value (${placesOf(candidates)})`;
}

function placesOf(candidates: readonly Candidate[]): string {
  const places = [...new Set(candidates.map((candidate) => candidate.name))];
  return `nothing at ${places.join(' or ')}`.slice(0, 300);
}
