import type { Micros } from '../../base/instant.ts';
import { hasTokenShape, SECRET_IS_NO_TAG } from '../../base/tag-secrets.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import type { LocatedScan } from './located-scan.ts';
import { type LiveLocations, lockLiveLocations } from './lock-locations.ts';
import { type ObservedAt, type TimeRules, observedAt as whenObserved } from './observed-at.ts';
import { type Resolution, type Resolutions, resolveTags } from './resolve-tags.ts';
import type { Outcome, Scan } from './scan.ts';

export type Classified = { located: LocatedScan } | { outcome: Outcome };

/** Holds until the transaction ends: the live locations are locked. */
export interface LookedUp {
  resolutions: Resolutions;
  liveLocations: LiveLocations;
}

export async function lookUp(client: Client, scans: readonly Scan[]): Promise<LookedUp> {
  const [resolutions, liveLocations] = await Promise.all([
    resolveTags(client, scans),
    lockLiveLocations(client, scans),
  ]);
  return { resolutions, liveLocations };
}

/**
 * The first that applies: a scanned secret; too late; shut out by the antenna's settings (unplaced); tag ambiguous or
 * unknown; no live location (unplaced). So a scan of an unknown tag is unknown wherever it was read.
 *
 * @returns in the order of `scans`.
 */
export function classify(
  scans: readonly Scan[],
  { resolutions, liveLocations }: LookedUp,
  now: Micros,
  rules: TimeRules,
): Classified[] {
  return scans.map((scan) => {
    const time = whenObserved(scan, now, rules);
    const resolution = resolutions.get(scan) ?? { kind: 'unknown' };
    const { orgId, locationId } = scan;
    const isLive = locationId !== null && liveLocations.has(orgId, locationId);
    return classifyOne(scan, time, resolution, isLive ? locationId : null);
  });
}

function classifyOne(
  scan: Scan,
  time: ObservedAt,
  resolution: Resolution,
  locationId: number | null,
): Classified {
  const { orgId, source } = scan;
  if (hasTokenShape(scan.value)) {
    return { outcome: { status: 'rejected', cause: 'secret', reason: SECRET_IS_NO_TAG } };
  }
  if (!time.ok) {
    return { outcome: { status: 'rejected', cause: 'too_late', reason: time.reason } };
  }
  if (source.kind === 'reader' && source.isShutOut) {
    return { outcome: { status: 'unplaced', assetId: null } };
  }
  const { observedAt, timeIsReceived } = time;
  if (resolution.kind === 'ambiguous') {
    return { outcome: { status: 'ambiguous', observedAt, locationId } };
  }
  if (resolution.kind !== 'asset') {
    const tagLocationId = resolution.kind === 'location' ? resolution.locationId : null;
    return { outcome: { status: 'unknown', observedAt, locationId, tagLocationId } };
  }
  const { assetId, tagType, tagValue } = resolution;
  // The tag counts as it is attached, perhaps of another kind than the device read.
  const located = scan.tagType === tagType ? scan : { ...scan, tagType };
  if (locationId === null) {
    return { outcome: { status: 'unplaced', assetId } };
  }
  return { located: { orgId, assetId, scan: located, tagValue, locationId, observedAt, timeIsReceived } };
}
