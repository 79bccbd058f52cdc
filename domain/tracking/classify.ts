import type { Micros } from '../../base/instant.ts';
import { hasTokenShape, SECRET_IS_NO_TAG } from '../../base/scanned-text.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { integers } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { LocatedScan } from './located-scan.ts';
import { type ObservedAt, type TimeRules, observedAt as whenObserved } from './observed-at.ts';
import { PairMap } from './pair-map.ts';
import { type Resolution, type Resolutions, resolveTags } from './resolve-tags.ts';
import type { Outcome, Scan } from './scan.ts';

type Classified = { located: LocatedScan } | { outcome: Outcome };

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

export interface LocationRef {
  orgId: number;
  locationId: number;
}

/**
 * Finds those of `locations` that are live, and keeps them so until this transaction ends: deleting one takes its row's
 * full lock and waits. Renaming, re-parenting and other recorders do not wait.
 *
 * @param locations ids of null are skipped.
 */
export async function lockLiveLocations(
  db: Connection,
  locations: readonly { orgId: number; locationId: number | null }[],
): Promise<LiveLocations> {
  const live = new PairMap<number, number, true>();
  const distinct = distinctLocations(locations);
  if (distinct.length === 0) {
    return live;
  }
  const rows = await db.any(sql.prepared('lock-locations', rowsOf<{ org_id: number; id: number }>())`
    select location.org_id, location.id
    from (
      select org_id, id
      from unnest(
        ${sql.binary(integers(distinct.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(distinct.map(({ locationId }) => locationId)))}::integer[]) as given (org_id, id)
      order by org_id, id
    ) wanted
    cross join lateral (
      select org_id, id from locations
      where org_id = wanted.org_id and id = wanted.id and deleted_at is null
      for key share
    ) location`);
  for (const { org_id: orgId, id } of rows) {
    live.add(orgId, id, true);
  }
  return live;
}

type LiveLocations = Pick<PairMap<number, number, true>, 'has'>;

function distinctLocations(
  locations: readonly { orgId: number; locationId: number | null }[],
): readonly LocationRef[] {
  const distinct = new PairMap<number, number, LocationRef>();
  for (const { orgId, locationId } of locations) {
    if (locationId !== null && !distinct.has(orgId, locationId)) {
      distinct.add(orgId, locationId, { orgId, locationId });
    }
  }
  return distinct.values();
}
