import { TAG_TYPES } from '../../tracking/tag-type.ts';
import { faultOfTagValue } from './acceptance.ts';
import type { Candidates } from './fields.ts';
import type { Scope } from './scope.ts';
import { shown } from './values/printable.ts';

export function whyNoTagType(candidates: Candidates, scope: Scope): string {
  for (const candidate of candidates.all) {
    const source = candidate.source(scope);
    if (source !== undefined && source !== null) {
      return `tag type ${shown(source)} is none of: ${TAG_TYPES.join(', ')}`;
    }
  }
  return `no tag type (${candidates.places})`;
}

export function whyNoValue(candidates: Candidates, scope: Scope): string {
  for (const candidate of candidates.all) {
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
  return `no value (${candidates.places})`;
}
