import { wireTime } from '../../../base/timestamps.ts';
import { type PlanPlace, placesView } from '../../../domain/master-data/plans/places.ts';
import type { StoredPlan } from '../../../domain/master-data/plans/stored-plan.ts';
import { referenceOf } from '../serving/reference.ts';

export function planView(plan: StoredPlan) {
  const { id, name, media_type, width, height, size, sha256, version, place_count } = plan;
  return {
    ...{ id, name, media_type, width, height, size, version, place_count },
    location: referenceOf(plan.location_id, plan.location_external_key, plan.location_name),
    digest: sha256,
    updated_at: wireTime(plan.updated_at),
  };
}

export function planWithPlacesView(plan: StoredPlan, places: readonly PlanPlace[]) {
  return { ...planView(plan), places: placesView(places) };
}
