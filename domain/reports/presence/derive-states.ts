import { eachInTurns } from '../../../base/each-in-turns.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { loadLimits } from '../../alerts/conditions/load-limits.ts';
import { loadPlaces, lookedAt } from '../../presence/coverage/load-places.ts';
import { NEVER_SEEN, type PlacePresence, type Presence } from '../../presence/coverage/state-of.ts';
import { loadFirstMissed } from '../../sweeps/load-first-missed.ts';
import { loadSweeps } from '../../sweeps/load-sweeps.ts';
import type { SeenAsset } from './presence-rows.ts';

/** The states of assets at an instant, in their order, from all present evidence, by the rules at that instant. */
export async function deriveStates(
  db: Connection & { readonly orgId: number },
  at: Micros,
  assets: readonly SeenAsset[],
): Promise<Presence[]> {
  const { orgId } = db;
  const seen = assets.filter(({ location_id: id }) => id !== null);
  const since = seen.reduce((earliest, asset) => Math.min(earliest, lastSeenOf(asset)), at);
  const window = { since, until: at + 1 };
  const locationIds = [...new Set(seen.map(({ location_id: id }) => id ?? 0))];
  const missed = await loadFirstMissed(
    db,
    orgId,
    seen.map((asset) => ({
      ...{ assetId: asset.id, locationId: asset.location_id ?? 0, lastSeen: lastSeenOf(asset) },
    })),
    at,
  );
  const sweeps = await loadSweeps(db, orgId, locationIds, lookedAt(window));
  const placeOf = await loadPlaces(db, orgId, locationIds, window, sweeps);
  const limits = await loadLimits(
    db,
    orgId,
    seen.map((asset) => ({ assetId: asset.id, locationId: asset.location_id ?? 0 })),
    window,
  );
  // Location by location, so that when one was covered is derived once, and held no longer.
  const byLocation = [...Map.groupBy(assets.entries(), ([, asset]) => asset.location_id).values()].flat();
  let here: { locationId: number | null; place: PlacePresence | null } = { locationId: null, place: null };
  const states: Presence[] = [];
  await eachInTurns(byLocation, ([index, asset]) => {
    const { location_id: locationId } = asset;
    if (locationId !== here.locationId) {
      here = { locationId, place: locationId === null ? null : placeOf(locationId) };
    }
    const evidence = {
      lastSeen: lastSeenOf(asset),
      isLastKnown: asset.last_seen !== null,
      missedBy: missed.get(asset.id) ?? null,
      limits: limits(asset.id),
    };
    states[index] = here.place?.stateOf(evidence, at) ?? NEVER_SEEN;
  });
  return states;
}

function lastSeenOf({ last_seen: lastSeen, entered_at: enteredAt }: SeenAsset): Micros {
  return lastSeen ?? enteredAt ?? 0;
}
