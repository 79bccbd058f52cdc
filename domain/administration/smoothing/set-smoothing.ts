import type { Micros } from '../../../base/instant.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import type { Actor } from '../../changes/actor.ts';
import { makeChange } from '../../changes/make-change.ts';
import { holdLiveLocation } from '../../master-data/live-by-key.ts';
import { insertSetting } from '../../tracking/smoothing/insert-setting.ts';
import { requireSmoothing, type Setting } from '../../tracking/smoothing/require-smoothing.ts';
import { holdLiveOrganization } from '../organizations/live-organization.ts';

export interface WantedSmoothing {
  orgId: number;
  /** A live location of the organization; null for all that have no setting of their own. */
  locationExternalKey: string | null;
  smoothing: Setting['smoothing'];
  /** The clock, if not the database's. */
  now?: Micros;
}

/**
 * Makes a setting, for scans observed from now on: after every scan of the organization that is recorded, so that no
 * history changes by it, and scans from before that come late are smoothed as they would have been in time.
 *
 * @returns when it begins to hold.
 * @throws AppError `invalid_input` (see {@link requireSmoothing}), `not_found` (organization, location).
 */
export async function setSmoothing(
  db: Database,
  actor: Actor,
  { orgId, locationExternalKey, smoothing, now }: WantedSmoothing,
): Promise<Micros> {
  requireSmoothing(smoothing, { isOfLocation: locationExternalKey !== null });
  return makeChange(db, actor, async (change) => {
    await holdLiveOrganization(change, orgId);
    const locationId =
      locationExternalKey === null ? null : await holdLiveLocation(change, orgId, locationExternalKey);
    return insertSetting(change, { orgId, locationId, smoothing }, now ?? null);
  });
}
