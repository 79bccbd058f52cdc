import { AppError } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import type { Actor } from '../../changes/actor.ts';
import { changed, makeChange } from '../../changes/make-change.ts';
import { holdLiveLocation } from '../../master-data/by-id-or-key.ts';
import { learnedGap } from '../../presence/coverage/learned-gap.ts';
import { loadGaps } from '../../presence/coverage/load-gaps.ts';
import {
  holdLatestWatch,
  insertWatch,
  requireRoomForWatch,
  type StoredWatch,
} from '../../presence/coverage/stored-watches.ts';
import type { Watch } from '../../presence/coverage/watches.ts';
import { holdLiveOrganization } from '../organizations/live-organization.ts';

export interface WantedWatch {
  orgId: number;
  locationExternalKey: string;
  mode: Watch['mode'];
  /** Null: learn it from past reads. Not allowed for portals. */
  maxGap: Micros | null;
  coverage: Watch['coverage'];
}

/**
 * Says how a location is watched from now on; earlier answers about assets there do not change.
 *
 * @throws AppError `invalid_input` (a gap of a portal), `not_found` (organization, location), `conflict` (set too often).
 */
export async function setWatch(db: Database, actor: Actor, wanted: WantedWatch): Promise<StoredWatch> {
  const { orgId, locationExternalKey, mode, maxGap, coverage } = wanted;
  if (mode === 'portal' && maxGap !== null) {
    throw new AppError('invalid_input', 'A portal has no gap; only a continuous location has one');
  }
  return makeChange(db, actor, async (change) => {
    await holdLiveOrganization(change, orgId);
    const locationId = await holdLiveLocation(change, orgId, locationExternalKey);
    const isLearned = mode === 'continuous' && maxGap === null;
    const learned = isLearned ? learnedGap(await loadGaps(change, orgId, locationId)) : null;
    const before = await holdLatestWatch(change, { orgId, locationId });
    await requireRoomForWatch(change, { orgId, locationId });
    const after = await insertWatch(
      change,
      { orgId, locationId },
      { mode, coverage, isLearned, maxGap: isLearned ? learned : maxGap },
    );
    return changed(after, [
      {
        orgId,
        action: 'set_watch',
        resource: { type: 'location', id: locationId, externalKey: locationExternalKey },
        before: before === null ? null : { watch: logged(before) },
        after: { watch: logged(after) },
      },
    ]);
  });
}

function logged(watch: StoredWatch): object {
  return { ...watch, valid_from: wireTimeOfMicros(watch.valid_from) };
}
