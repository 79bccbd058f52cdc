import { notFound } from '../../../base/errors.ts';
import { MICROS_PER_DAY, MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { JsonText } from '../../../base/json/json-text.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Actor } from '../../changes/actor.ts';
import type { ChangeEntry } from '../../changes/entry.ts';
import { changed, makeChange, unchanged } from '../../changes/make-change.ts';
import { holdLiveLocation } from '../../master-data/by-id-or-key.ts';
import {
  type InsertedSetting,
  insertSetting,
  removePlanned,
  type WhichSetting,
} from '../../tracking/location/insert-setting.ts';
import { type Lack, positionSettings } from '../../tracking/location/position-lacks.ts';
import { type Deciding, requireDeciding, SettingFault } from '../../tracking/location/require-setting.ts';
import { askToRecompute } from '../../tracking/recompute/asked.ts';
import { holdLiveOrganization } from '../organizations/live-organization.ts';

export interface WantedLocating extends Deciding {
  orgId: number;
  /** A live location of the organization, with all below it; null for the whole organization. */
  locationExternalKey: string | null;
  /** From when on it holds; null for now, after every recorded scan. */
  from: Micros | null;
}

export interface SetLocating extends Pick<InsertedSetting, 'validFrom' | 'until' | 'isPast'>, Deciding {
  /** Null if the same was in force already. */
  settingId: number | null;
  /** Why strength decides although position is set; null if position can. */
  lacks: Lack | null;
}

/**
 * Sets how it is decided where assets are. From a time in the past it asks for the histories of assets that were read
 * there to be decided again, which the worker does.
 *
 * @param retention how long raw scans are kept: nothing older can be decided again.
 * @throws AppError `invalid_input` (see {@link requireDeciding}), `not_found` (organization, location), `conflict` (too
 *   many; `position` without a plan).
 */
export async function setLocating(
  db: Database,
  actor: Actor,
  wanted: WantedLocating,
  { retention, now = Date.now() * MICROS_PER_MILLISECOND }: { retention: Micros; now?: Micros },
): Promise<SetLocating> {
  const { orgId, locationExternalKey, from } = wanted;
  const deciding = requireDeciding(wanted, { isOfLocation: locationExternalKey !== null });
  requireNear(from, retention, now);
  return makeChange(db, actor, async (change) => {
    await holdLiveOrganization(change, orgId);
    const locationId =
      locationExternalKey === null ? null : await holdLiveLocation(change, orgId, locationExternalKey);
    if (deciding.procedure === 'position') {
      await requirePlan(change, orgId, locationId, locationExternalKey);
    }
    const { change: made, ...inserted } = await insertSetting(
      change,
      { orgId, locationId, ...deciding, actor },
      from,
    );
    const lacks =
      deciding.procedure === 'position'
        ? (await positionSettings(change, orgId)).find((each) => each.location_id === locationId)?.lacks
        : null;
    const result = { ...inserted, ...deciding, settingId: made?.settingId ?? null, lacks: lacks ?? null };
    if (made === null) {
      return unchanged(result);
    }
    const { settingId, before, after } = made;
    if (inserted.isPast) {
      await askToRecompute(change, { orgId, settingId });
    }
    return changed(result, [loggedSetting(orgId, locationId, locationExternalKey, before, after)]);
  });
}

/**
 * Removes a setting that has not begun.
 *
 * @throws AppError `not_found` (organization, location, setting), `conflict` if it has begun.
 */
export function removeLocating(
  db: Database,
  actor: Actor,
  orgId: number,
  which: { settingId: number } | { locationExternalKey: string | null; from: Micros },
): Promise<void> {
  return makeChange(db, actor, async (change) => {
    await holdLiveOrganization(change, orgId);
    const removed = await removePlanned(change, orgId, await meant());
    if (removed === null) {
      throw notFound('settingId' in which ? 'No such setting' : 'No setting begins then');
    }
    const { location_id: id, location_external_key: key, setting } = removed;
    return changed(undefined, [loggedSetting(orgId, id, key, setting, null)]);

    async function meant(): Promise<WhichSetting> {
      if ('settingId' in which) {
        return which;
      }
      const { locationExternalKey: named, from } = which;
      return { locationId: named === null ? null : await holdLiveLocation(change, orgId, named), from };
    }
  });
}

function loggedSetting(
  orgId: number,
  locationId: number | null,
  externalKey: string | null,
  before: string | null,
  after: string | null,
): ChangeEntry {
  return {
    ...{ orgId, action: 'set_locating' },
    resource:
      locationId === null
        ? { type: 'organization', id: orgId }
        : { type: 'location', id: locationId, externalKey },
    before: before === null ? null : { locating: new JsonText(before) },
    after: after === null ? null : { locating: new JsonText(after) },
  };
}

/** A setting for a later day is a plan; one for a later year, a slip. */
const MOST_AHEAD = 366 * MICROS_PER_DAY;

function requireNear(from: Micros | null, retention: Micros, now: Micros): void {
  if (from !== null && from < now - retention) {
    const days = Math.floor(retention / MICROS_PER_DAY);
    throw new SettingFault(
      'from',
      `Raw scans are kept for ${days} days (SCAN_RETENTION_DAYS), and nothing older can be decided again; choose a later time`,
    );
  }
  if (from !== null && from > now + MOST_AHEAD) {
    throw new SettingFault('from', 'The time must be at most a year ahead');
  }
}

/** A plan with a scale must be there: of the location or one above it; for the organization, any. */
async function requirePlan(
  db: Connection,
  orgId: number,
  locationId: number | null,
  key: string | null,
): Promise<void> {
  const { has } = await db.one(sql.type(rowsOf<{ has: boolean }>())`
    with recursive above (id, parent_id) as (
      select id, parent_id from locations where org_id = ${orgId} and id = ${locationId}::integer
      union
      select parent.id, parent.parent_id from locations parent
      join above on parent.org_id = ${orgId} and parent.id = above.parent_id
    )
    select exists (
      select from plans where org_id = ${orgId} and scale_points is not null
        and (${locationId}::integer is null or location_id in (select id from above))
    ) as has`);
  if (!has) {
    throw new SettingFault(
      'procedure',
      `Position needs a plan with a scale of ${key === null ? 'some location' : `${key} or a location that it is in`}: ` +
        'add one in the console, set its scale and place the antennas on it; or choose strength',
    );
  }
}
