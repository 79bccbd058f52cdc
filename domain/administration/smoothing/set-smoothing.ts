import type { Micros } from '../../../base/instant.ts';
import { JsonText } from '../../../base/json/json-text.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { holdLiveLocation } from '../../master-data/live-by-key.ts';
import { insertSetting } from '../../tracking/smoothing/insert-setting.ts';
import { requireSmoothing, type Setting } from '../../tracking/smoothing/require-smoothing.ts';
import { holdLiveOrganization } from '../organizations/live-organization.ts';

export interface WantedSmoothing {
  orgId: number;
  /** A live location of the organization; null for all without a setting of their own. */
  locationExternalKey: string | null;
  smoothing: Setting['smoothing'];
  now?: Micros;
}

/**
 * Applies a setting to scans observed from now on. It begins after every recorded scan of the organization,
 * so no history changes; late scans from before are smoothed under the earlier setting.
 *
 * @returns when it takes effect; when it did, if the same is in force.
 * @throws AppError `invalid_input` (see {@link requireSmoothing}), `not_found` (organization, location), `conflict` (too
 *   many).
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
    const { validFrom, change: made } = await insertSetting(
      change,
      { orgId, locationId, smoothing, actor },
      now ?? null,
    );
    if (made === null) {
      return unchanged(validFrom);
    }
    const { before, after } = made;
    return changed(validFrom, [
      {
        orgId,
        action: 'set_smoothing',
        resource:
          locationId === null
            ? { type: 'organization', id: orgId }
            : { type: 'location', id: locationId, externalKey: locationExternalKey },
        before: before === null ? null : { smoothing: new JsonText(before) },
        after: { smoothing: new JsonText(after) },
      },
    ]);
  });
}
