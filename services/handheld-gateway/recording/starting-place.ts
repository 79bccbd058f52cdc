import { foreignKeyNotFound, type Invalid, invalid } from '../../../base/checks/issues.ts';
import { withoutTokens } from '../../../base/tag-secrets.ts';
import type { Resolutions } from '../../../domain/tracking/resolve-tags.ts';
import type { ReadTag } from '../wire/tag.ts';
import type { NamedLocation } from './submission.ts';

/** The id of the location that a resolved tag is attached to, or null. */
export function locationOfTag(orgId: number, tag: ReadTag, resolutions: Resolutions): number | null {
  const resolution = resolutions.get({ orgId, ...tag });
  return resolution?.kind === 'location' ? resolution.locationId : null;
}

/** The refusal of an unknown location. */
export function noSuchLocation(location: NamedLocation): Invalid {
  if ('tag' in location) {
    const { tagType, value } = location.tag;
    return invalid([foreignKeyNotFound('location.tag', `${tagType}:${withoutTokens(value)}`)]);
  }
  return invalid([
    'id' in location
      ? foreignKeyNotFound('location.id', location.id)
      : foreignKeyNotFound('location.external_key', location.externalKey),
  ]);
}
