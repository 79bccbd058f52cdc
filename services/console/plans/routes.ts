import { invalid, required } from '../../../base/checks/issues.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { changePlan } from '../../../domain/master-data/plans/change-plan.ts';
import { createPlan } from '../../../domain/master-data/plans/create-plan.ts';
import { deletePlan } from '../../../domain/master-data/plans/delete-plan.ts';
import { type NamedPin, pinsView, readPins } from '../../../domain/master-data/plans/pins.ts';
import { placesView, readPlaces } from '../../../domain/master-data/plans/places.ts';
import { type Dot, MOST_DOTS, readDots } from '../../../domain/master-data/plans/read-dots.ts';
import {
  findPlan,
  listPlans,
  readImage,
  type StoredPlan,
  scaleOf,
} from '../../../domain/master-data/plans/stored-plan.ts';
import { type Scale, sizeInMetres } from '../../../domain/tracking/location/position.ts';
import { TOO_MANY_LARGE } from '../../../platform/http/large-answers.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { FileAnswer } from '../../../platform/http/stored-file.ts';
import { created, found, noContent } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { listOf, referenceOf } from '../serving/schemas.ts';
import { takeUploadTurn } from '../serving/upload-turn.ts';
import {
  DELETED_PLAN,
  DOTS,
  IMAGE,
  IMAGE_QUERY,
  imageBody,
  NEW_PLAN,
  PLAN,
  PLAN_WITH_PLACES,
  planPatchBody,
} from './schema.ts';

const ONE = {
  params: { plan_id: idInPath },
  find: {
    missing: 'Plan not found',
    row: ({ context, params }: { context: ConsoleContext; params: { plan_id: number } }) =>
      findPlan(context.db, params.plan_id),
  },
} as const;

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/plans', operationId: 'listPlans' },
  summary: 'The plans by name, without their places and images',
  scope: 'locations:read',
  success: found(listOf(PLAN), 'The plans'),
  handle: async ({ context }) => (await listPlans(context.db)).map(planView),
});

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/plans/{plan_id}', operationId: 'getPlan' },
  summary: 'A plan and what is where on it',
  ...{ scope: 'locations:read', ...ONE },
  success: found(PLAN_WITH_PLACES, 'The plan'),
  handle: async ({ context, row }) => planWithPlacesView(context.db, row),
});

const create = memberRoute({
  ...{ method: 'POST', path: '/console/v1/plans', operationId: 'createPlan' },
  summary: 'Add a plan: a PNG, JPEG or WebP image',
  ...{ scope: 'locations:write', query: NEW_PLAN },
  body: imageBody,
  success: created(PLAN, 'The plan, with no places on it'),
  problems: { conflict: 'The maximum of plans is reached' },
  handle: async (request) => {
    await takeUploadTurn(request);
    const { context, body: image, requestId } = request;
    const { name, location_id: locationId = null } = request.query;
    const actor = actorOfUser(context.session, requestId);
    return planView(await createPlan(context.db, actor, { name, locationId, image }));
  },
});

const image = memberRoute({
  ...{ method: 'GET', path: '/console/v1/plans/{plan_id}/image', operationId: 'getPlanImage' },
  summary: 'The image of a plan',
  ...{ scope: 'locations:read', query: IMAGE_QUERY, ...ONE },
  success: IMAGE,
  problems: { unavailable: TOO_MANY_LARGE },
  handle: async ({ context: { db }, row }) =>
    new FileAnswer({
      ...{ mediaType: row.media_type, size: row.size, digest: row.sha256 },
      pieces: () => readImage(db, row),
    }),
});

const change = memberRoute({
  ...{ method: 'PATCH', path: '/console/v1/plans/{plan_id}', operationId: 'updatePlan' },
  summary: 'Change the name, the location, the scale, all places, or all antennas of a plan',
  description:
    'Places, antennas and the scale need the `version` that they were read with, so that nobody overwrites what others did. ' +
    'What position needs where it is set is taken away only with `without_position`: strength decides then.',
  ...{ scope: 'locations:write', ...ONE },
  body: planPatchBody,
  success: found(PLAN_WITH_PLACES, 'The plan as it is now'),
  problems: { conflict: 'It is not that version any more, or another plan of the location has a scale' },
  handle: async ({ context, row: { id }, body, requestId }) => {
    const { location_id: locationId, without_position: withoutPosition, ...changes } = body.against({});
    const { version, places, scale, antennas } = changes;
    if (version === undefined && [places, scale, antennas].some((each) => each !== undefined)) {
      throw invalid([required('version')]);
    }
    const actor = actorOfUser(context.session, requestId);
    return planWithPlacesView(
      context.db,
      await changePlan(context.db, actor, id, { locationId, withoutPosition, ...changes }),
    );
  },
});

const remove = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/plans/{plan_id}', operationId: 'deletePlan' },
  summary: 'Delete a plan with its image; the locations on it stay',
  description: 'One that position needs where it is set only with `without_position`: strength decides then.',
  ...{ scope: 'locations:write', query: DELETED_PLAN, ...ONE },
  success: noContent('Deleted for good'),
  handle: ({ context, row: { id }, query: { without_position: withoutPosition }, requestId }) =>
    deletePlan(context.db, actorOfUser(context.session, requestId), id, withoutPosition),
});

const dots = memberRoute({
  ...{ method: 'GET', path: '/console/v1/plans/{plan_id}/positions', operationId: 'listPositionsOnPlan' },
  summary: 'Where on a plan assets are, in metres from its left and top; of many the newest',
  ...{ scope: 'tracking:read', ...ONE },
  success: found(DOTS, 'The positions'),
  handle: async ({ context: { db }, row: { location_id: locationId, scale_points: points }, signal }) => {
    const rows = locationId === null || points === null ? [] : await readDots(db, locationId, signal());
    return { dots: rows.slice(0, MOST_DOTS).map(dotView), is_cut: rows.length > MOST_DOTS };
  },
});

export const planRoutes = [list, read, create, image, dots, change, remove];

function planView(plan: StoredPlan) {
  const { id, name, media_type, width, height, size, sha256, version, place_count } = plan;
  const scale = scaleOf(plan);
  return {
    ...{ id, name, media_type, width, height, size, version, place_count },
    location: referenceOf(plan.location_id, plan.location_external_key, plan.location_name),
    digest: sha256,
    scale: scale && scaleView(plan, scale),
    updated_at: wireTime(plan.updated_at),
  };
}

function scaleView(plan: StoredPlan, { points, metres }: Scale) {
  const { width, height } = sizeInMetres(plan, { points, metres });
  return { points, metres, width_m: centimetres(width), height_m: centimetres(height) };
}

async function planWithPlacesView(db: OrganizationDatabase, plan: StoredPlan) {
  const [places, pins] = await Promise.all([readPlaces(db, plan.id), readPins(db, plan.id)]);
  return { ...planView(plan), places: placesView(places), antennas: antennasView(pins) };
}

function antennasView(pins: readonly NamedPin[]) {
  return pinsView(pins).map((pin, index) => ({
    ...pin,
    reader_name: pins[index]?.readerName ?? '',
    antenna_name: pins[index]?.antennaName ?? null,
  }));
}

function dotView({ asset_id: id, external_key, name, x, y, radius, observed_at: at }: Dot) {
  return {
    asset: { id, external_key, name },
    ...{ x: centimetres(x), y: centimetres(y), radius_m: centimetres(radius) },
    observed_at: wireTime(at),
  };
}

function centimetres(metres: number): number {
  return Math.round(metres * 100) / 100;
}
