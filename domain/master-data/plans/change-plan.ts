import { isDeepStrictEqual } from 'node:util';
import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { conflict, orNotFound } from '../../../base/errors.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../changes/actor.ts';
import type { Fields } from '../../changes/entry.ts';
import { changed, makeChange, type OrganizationChange, unchanged } from '../../changes/make-change.ts';
import type { Scale } from '../../tracking/location/position.ts';
import { keepingPosition } from '../../tracking/location/position-lacks.ts';
import { claim } from '../claims.ts';
import { holdLocations } from './hold-locations.ts';
import { type AntennaPin, pinsView, readPins, replacePins } from './pins.ts';
import { type PlanPlace, placesView, readPlaces, replacePlaces } from './places.ts';
import { requireFarApart, requireUsable } from './scale.ts';
import { findPlan, lockPlan, planFields, type StoredPlan, scaleOf } from './stored-plan.ts';

export interface PlanChanges {
  name?: string | undefined;
  locationId?: number | null | undefined;
  /** All of them. */
  places?: readonly PlanPlace[] | undefined;
  /** Null takes it off. */
  scale?: Scale | null | undefined;
  /** All of them. */
  antennas?: readonly AntennaPin[] | undefined;
  /** The version that the change was based on; absent for any. */
  version?: number | undefined;
  /** Also if position can then no longer decide where it is set. */
  withoutPosition?: boolean | undefined;
}

/**
 * Changes a plan's name, location, content or scale.
 *
 * @throws AppError `not_found`; Invalid for locations that are not live, missing antennas, an impossible scale, or what
 * position needs; `conflict` if it has changed since, or another plan of the location has a scale.
 */
export function changePlan(
  db: OrganizationDatabase,
  actor: Actor,
  id: number,
  wanted: PlanChanges,
): Promise<StoredPlan> {
  const { locationId, places, antennas, version } = wanted;
  return makeChange(db, actor, (change) =>
    keepingPosition(change, wanted.withoutPosition === true, async () => {
      // If two plans of a location get a scale at once, the second sees the first.
      await claim(change, ['plans']);
      await holdLocations(change, locationsIn(wanted));
      const before = await orNotFound('Plan not found', lockPlan(change, id));
      if (version !== undefined && version !== before.version) {
        throw conflict(
          `the plan was changed by somebody else meanwhile (it is version ${before.version}, not ${version}); read it again`,
        );
      }
      const next = {
        name: wanted.name ?? before.name,
        locationId: locationId === undefined ? before.location_id : locationId,
        scale: wanted.scale === undefined ? scaleOf(before) : wanted.scale,
      };
      if (next.scale !== null) {
        await requireFitting(change, before, next.scale, next.locationId, wanted);
      }
      const placed = places === undefined ? null : await replacedPlaces(change, id, places);
      const pinned = antennas === undefined ? null : await replacedPins(change, id, antennas);
      const isSame = isDeepStrictEqual(next, {
        ...{ name: before.name, locationId: before.location_id, scale: scaleOf(before) },
      });
      if (isSame && placed === null && pinned === null) {
        return unchanged(before);
      }
      await storePlan(change, id, next);
      const after = await orNotFound('Plan not found', findPlan(change, id));
      return changed(after, [
        {
          orgId: change.orgId,
          action: 'update',
          resource: { type: 'plan', id },
          before: { ...(isSame ? {} : setFields(before)), ...placed?.before, ...pinned?.before },
          after: { ...(isSame ? {} : setFields(after)), ...placed?.after, ...pinned?.after },
        },
      ]);
    }),
  );
}

function locationsIn({ locationId, places = [] }: PlanChanges) {
  return [
    ...(locationId == null ? [] : [{ field: 'location_id', id: locationId }]),
    ...places.map((place, index) => ({ field: `places[${index}].location_id`, id: place.locationId })),
  ];
}

async function storePlan(
  change: OrganizationChange,
  id: number,
  { name, locationId, scale }: { name: string; locationId: number | null; scale: Scale | null },
): Promise<void> {
  const points = scale === null ? null : `{${scale.points.flat().join()}}`;
  await change.exec(sql.type(NO_ROWS)`
    update plans set name = ${name}, location_id = ${locationId}::integer,
      scale_points = ${points}::double precision[], scale_metres = ${scale?.metres ?? null}::double precision,
      version = version + 1, updated_at = clock_timestamp()
    where org_id = ${change.orgId} and id = ${id}`);
}

/** A scale is checked together with the outlines and the plan's location. */
async function requireFitting(
  change: OrganizationChange,
  plan: StoredPlan,
  scale: Scale,
  locationId: number | null,
  wanted: PlanChanges,
): Promise<void> {
  if (wanted.scale != null) {
    requireFarApart(plan, scale);
    if (locationId === null) {
      throw invalid([
        invalidValue('scale', 'needs a plan that is of a location: choose what it is a plan of first'),
      ]);
    }
  }
  if (locationId === null) {
    return;
  }
  if (wanted.scale != null || wanted.places !== undefined) {
    requireUsable(plan, scale, wanted.places ?? (await readPlaces(change, plan.id)));
  }
  if (wanted.scale != null || wanted.locationId !== undefined) {
    const other = await change.maybeOne(sql.type(rowsOf<{ name: string }>())`
      select name from plans where org_id = ${change.orgId} and location_id = ${locationId} and id <> ${plan.id}
        and scale_points is not null limit 1`);
    if (other !== null) {
      throw conflict(
        `another plan of this location has a scale: "${other.name}"; a location can have one. Remove the scale there first`,
      );
    }
  }
}

interface Replaced {
  before: Fields;
  after: Fields;
}

/** @returns null if they are the same. */
async function replacedPlaces(
  change: OrganizationChange,
  id: number,
  places: readonly PlanPlace[],
): Promise<Replaced | null> {
  const before = placesView(await readPlaces(change, id));
  await replacePlaces(change, id, places);
  const after = placesView(await readPlaces(change, id));
  return isDeepStrictEqual(before, after) ? null : { before: { places: before }, after: { places: after } };
}

/** @returns null if they are the same. */
async function replacedPins(
  change: OrganizationChange,
  id: number,
  antennas: readonly AntennaPin[],
): Promise<Replaced | null> {
  const before = pinsView(await readPins(change, id));
  await replacePins(change, id, antennas);
  const after = pinsView(await readPins(change, id));
  return isDeepStrictEqual(before, after)
    ? null
    : { before: { antennas: before }, after: { antennas: after } };
}

function setFields(plan: StoredPlan): Fields {
  const { name, location_external_key, scale } = planFields(plan);
  return { name, location_external_key, scale };
}
