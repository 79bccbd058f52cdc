import { hasTokenShape } from '../../../base/scanned-text.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { findLiveByKey } from '../../../domain/master-data/by-id-or-key.ts';
import { type LookedUp, lockLiveLocations } from '../../../domain/tracking/classify.ts';
import { kindFound } from '../../../domain/tracking/kind-found.ts';
import { type Resolutions, resolveTags } from '../../../domain/tracking/resolve-tags.ts';
import { TAG_TYPES, type TagType } from '../../../domain/tracking/tag-type.ts';
import { type NamedLocation, noSuchLocation, type ReadTag } from '../wire/fields.ts';
import type { Submission, SubmittedScan } from './submission.ts';

export interface Step {
  /** With the kind of the found tag, if the device guessed it. */
  scan: SubmittedScan;
  locationId: number | null;
  setsLocation: boolean;
  assetId: number | null;
}

export interface Walk {
  steps: Step[];
  lookedUp: LookedUp;
}

/**
 * Follows a person through the scans: a scan of a live location's tag sets the location of those after it. The
 * locations stay live until the transaction ends.
 *
 * @throws Invalid for an unknown location.
 */
export async function walk(
  client: Client,
  orgId: number,
  { location, scans: submitted }: Submission,
): Promise<Walk> {
  const named = location !== null && 'tag' in location ? [location.tag] : [];
  const [resolutions, ofKey] = await Promise.all([
    resolveTags(
      client,
      [...named, ...submitted.flatMap(possibleTags)].map(({ tagType, value }) => ({ orgId, tagType, value })),
    ),
    location !== null && 'externalKey' in location
      ? findLiveByKey(client, 'location', orgId, location.externalKey)
      : null,
  ]);
  const start = location === null ? null : startOf(orgId, location, ofKey, resolutions);
  const scans = submitted.map((scan) => withKindFound(orgId, scan, resolutions));
  const resolved = scans.map((scan) =>
    hasTokenShape(scan.value) ? undefined : resolutions.get({ orgId, ...scan }),
  );
  const tagLocations = resolved.flatMap((each) => (each?.kind === 'location' ? [each.locationId] : []));
  const liveLocations = await lockLiveLocations(
    client,
    [...(start === null ? [] : [start]), ...tagLocations].map((id) => ({ orgId, locationId: id })),
  );
  const isLive = (id: number) => liveLocations.has(orgId, id);
  if (location !== null && (start === null || !isLive(start))) {
    throw noSuchLocation(location);
  }
  let locationId = start;
  const steps = scans.map((scan, index) => {
    const resolution = resolved[index];
    const setsLocation = resolution?.kind === 'location' && isLive(resolution.locationId);
    locationId = setsLocation ? resolution.locationId : locationId;
    return {
      scan,
      locationId,
      setsLocation,
      assetId: resolution?.kind === 'asset' ? resolution.assetId : null,
    };
  });
  return { steps, lookedUp: { resolutions, liveLocations } };
}

/** The tags that a scan may be of. */
function possibleTags({ tagType, value, guessed }: SubmittedScan): ReadTag[] {
  return guessed ? TAG_TYPES.map((each) => ({ tagType: each, value })) : [{ tagType, value }];
}

function withKindFound(orgId: number, scan: SubmittedScan, resolutions: Resolutions): SubmittedScan {
  const { tagType, value, guessed } = scan;
  const isKnown = (each: TagType) => {
    const resolution = resolutions.get({ orgId, tagType: each, value });
    return resolution !== undefined && resolution.kind !== 'unknown';
  };
  return guessed ? { ...scan, tagType: kindFound(tagType, isKnown) } : scan;
}

function startOf(
  orgId: number,
  location: NamedLocation,
  ofKey: number | null,
  resolutions: Resolutions,
): number | null {
  if ('tag' in location) {
    const resolution = resolutions.get({ orgId, ...location.tag });
    return resolution?.kind === 'location' ? resolution.locationId : null;
  }
  return 'id' in location ? location.id : ofKey;
}
