import { invalid, required } from '../../../base/checks/issues.ts';
import { wireTime } from '../../../base/timestamps.ts';
import { changePlan } from '../../../domain/master-data/plans/change-plan.ts';
import { createPlan } from '../../../domain/master-data/plans/create-plan.ts';
import { deletePlan } from '../../../domain/master-data/plans/delete-plan.ts';
import { type PlanPlace, placesView, readPlaces } from '../../../domain/master-data/plans/places.ts';
import { readImage } from '../../../domain/master-data/plans/read-image.ts';
import { findPlan, listPlans, type StoredPlan } from '../../../domain/master-data/plans/stored-plan.ts';
import { TOO_MANY_LARGE } from '../../../platform/http/large-answers.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { FileAnswer } from '../../../platform/http/stored-file.ts';
import { created, found, noContent, type Success } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { referenceOf } from '../serving/reference.ts';
import { listOf } from '../serving/schemas.ts';
import { takeUploadTurn } from '../serving/upload-turn.ts';
import { IMAGE_QUERY, imageBody, NEW_PLAN, PLAN, PLAN_WITH_PLACES, planPatchBody } from './schema.ts';

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
  ...{ scope: 'locations:read', query: NO_QUERY, params: {} },
  success: found(listOf(PLAN), 'The plans'),
  handle: async ({ context }) => (await listPlans(context.db)).map(planView),
});

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/plans/{plan_id}', operationId: 'getPlan' },
  summary: 'A plan and what is where on it',
  ...{ scope: 'locations:read', query: NO_QUERY, ...ONE },
  success: found(PLAN_WITH_PLACES, 'The plan'),
  handle: async ({ context, row }) => planWithPlacesView(row, await readPlaces(context.db, row.id)),
});

const create = memberRoute({
  ...{ method: 'POST', path: '/console/v1/plans', operationId: 'createPlan' },
  summary: 'Add a plan: a PNG, JPEG or WebP image',
  ...{ scope: 'locations:write', query: NEW_PLAN, params: {} },
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

const IMAGE: Success<FileAnswer> = {
  ...{ status: 200, description: 'The image as it was sent', headers: {} },
  schema: { type: 'string', format: 'binary' },
  present: (body) => ({ body }),
};

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
  summary: 'Change the name, the location, or all places of a plan',
  description:
    'Places need the `version` that they were read with, so that nobody overwrites what others did.',
  ...{ scope: 'locations:write', query: NO_QUERY, ...ONE },
  body: planPatchBody,
  success: found(PLAN_WITH_PLACES, 'The plan as it is now'),
  problems: { conflict: 'It is not that version any more' },
  handle: async ({ context, row: { id }, body, requestId }) => {
    const { name, location_id: locationId, version, places } = body.against({});
    if (places !== undefined && version === undefined) {
      throw invalid([required('version')]);
    }
    const actor = actorOfUser(context.session, requestId);
    const plan = await changePlan(context.db, actor, id, { name, locationId, version, places });
    return planWithPlacesView(plan, await readPlaces(context.db, id));
  },
});

const remove = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/plans/{plan_id}', operationId: 'deletePlan' },
  summary: 'Delete a plan with its image; the locations on it stay',
  ...{ scope: 'locations:write', query: NO_QUERY, ...ONE },
  success: noContent('Deleted for good'),
  handle: ({ context, row: { id }, requestId }) =>
    deletePlan(context.db, actorOfUser(context.session, requestId), id),
});

export const planRoutes = [list, read, create, image, change, remove];

function planView(plan: StoredPlan) {
  const { id, name, media_type, width, height, size, sha256, version, place_count } = plan;
  return {
    ...{ id, name, media_type, width, height, size, version, place_count },
    location: referenceOf(plan.location_id, plan.location_external_key, plan.location_name),
    digest: sha256,
    updated_at: wireTime(plan.updated_at),
  };
}

function planWithPlacesView(plan: StoredPlan, places: readonly PlanPlace[]) {
  return { ...planView(plan), places: placesView(places) };
}
