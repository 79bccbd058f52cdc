import { findLiveById } from '../../../domain/master-data/by-id-or-key.ts';
import { LOCATION_COLUMNS } from '../../../domain/master-data/columns.ts';
import type { LookedUp } from '../../../domain/master-data/large-texts.ts';
import {
  deleteLocation,
  patchLocation,
  renameLocation,
} from '../../../domain/master-data/locations/change.ts';
import { createLocation } from '../../../domain/master-data/locations/create.ts';
import { listLocations } from '../../../domain/master-data/locations/list.ts';
import { lookUpLocation } from '../../../domain/master-data/locations/queries.ts';
import type { LocationRow } from '../../../domain/master-data/rows.ts';
import { TOO_MANY_LARGE } from '../../../platform/http/large-answers.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { answered, created, found, listed, noContent, withMember } from '../../../platform/http/success.ts';
import { clearedByNull, LOCATION_ID, RENAME_EXAMPLE, renameBody } from '../items/item-schema.ts';
import { type ApiContext, actorOf, route } from '../serving/context.ts';
import { wholeView } from '../serving/whole-row.ts';
import {
  LOCATION,
  LOCATION_LIST,
  LOCATION_PATCH_EXAMPLE,
  locationPatchBody,
  newLocationBody,
  RENAMED_LOCATION,
} from './schema.ts';
import { locationView } from './view.ts';

const list = route({
  method: 'GET',
  path: '/api/v1/locations',
  operationId: 'listLocations',
  summary: 'List the locations in effect',
  description:
    'Lists rows in effect now: `valid_from` has come, `valid_to` has not. `include_not_in_effect` adds the others. All filters must match; a repeated filter matches any of its values.',
  scope: 'locations:read',
  query: LOCATION_LIST,
  success: listed(LOCATION, 'A page of locations'),
  problems: { unavailable: TOO_MANY_LARGE },
  handle: async ({ context, query, signal }) =>
    listBody(await listLocations(context.db, query, context.readLarge, signal()), query, locationView),
});

const create = route({
  method: 'POST',
  path: '/api/v1/locations',
  operationId: 'createLocation',
  summary: 'Create a location',
  description: 'Creates the location and attaches its tags, or does nothing. Without a parent it is a root.',
  scope: 'locations:write',
  body: newLocationBody,
  success: created(LOCATION, 'The location as created'),
  problems: { conflict: 'The external key or a tag is taken, also by a location that is not in effect' },
  handle: async ({ context, body, requestId }) =>
    locationView(await createLocation(context.db, actorOf(context, requestId), body)),
});

const read = route({
  method: 'GET',
  path: '/api/v1/locations/{location_id}',
  operationId: 'getLocation',
  summary: 'Read a live location',
  description:
    'In effect or not. A soft-deleted location is not found here; the list has it with `include_deleted`.',
  scope: 'locations:read',
  params: LOCATION_ID,
  find: {
    missing: 'Location not found',
    row: ({ context, params }) => lookUpLocation(context.db, params.location_id),
  },
  success: found(LOCATION, 'The location'),
  handle: ({ context, row }) => wholeView<LocationRow, ReturnType<typeof locationView>>(context, row, READ),
});

const patch = route({
  method: 'PATCH',
  path: '/api/v1/locations/{location_id}',
  operationId: 'updateLocation',
  summary: 'Change a location',
  description: `Fields that are left out stay as they are; null clears ${clearedByNull(LOCATION_COLUMNS, 'the parent')}. Either form of the parent moves the location, with all that is below it. What changes nothing leaves \`updated_at\` as it is. Send the \`updated_at\` that you read along, and a row that has changed since is left alone (\`read_only\`).`,
  scope: 'locations:write',
  params: LOCATION_ID,
  find: {
    missing: 'Location not found',
    row: ({ context, params }) => findLiveById(context.db, 'location', params.location_id),
  },
  body: locationPatchBody,
  success: found(LOCATION, 'The location as it is now', {
    ...LOCATION_PATCH_EXAMPLE,
    updated_at: '2026-05-06T14:20:00.000Z',
  }),
  problems: { conflict: 'The parent is the location itself or below it' },
  handle: async ({ context, row: id, body, requestId }) =>
    changedView(
      context,
      await patchLocation(context.db, actorOf(context, requestId), id, body, context.sameJson),
    ),
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/locations/{location_id}',
  operationId: 'deleteLocation',
  summary: 'Soft-delete a location and detach its tags',
  description:
    'Refused while live locations are below it or live assets are at it: move or remove them first. Its external key and its tags can be used again at once.',
  scope: 'locations:write',
  params: LOCATION_ID,
  success: noContent('The location is deleted'),
  problems: {
    not_found: 'Location not found',
    conflict: 'Live locations are below it, or live assets are placed at it',
  },
  handle: ({ context, params, requestId }) =>
    deleteLocation(context.db, actorOf(context, requestId), params.location_id),
});

const rename = route({
  method: 'POST',
  path: '/api/v1/locations/{location_id}/rename',
  operationId: 'renameLocation',
  summary: 'Give a location another external key',
  description: 'The id stays, and nothing below changes. The answer says how many live locations are below.',
  scope: 'locations:write',
  params: LOCATION_ID,
  find: {
    missing: 'Location not found',
    row: ({ context, params }) => findLiveById(context.db, 'location', params.location_id),
  },
  body: renameBody,
  success: answered(RENAMED_LOCATION, 'The location under its new key', {
    ...RENAME_EXAMPLE,
    updated_at: '2026-05-06T14:20:00.000Z',
  }),
  problems: { conflict: 'The external key is taken, also by a location that is not in effect' },
  handle: async ({ context, row: id, body, requestId }) => {
    const { location, descendantCount } = await renameLocation(
      context.db,
      actorOf(context, requestId),
      id,
      body.external_key,
    );
    return withMember('data', await changedView(context, location), {
      descendant_count_affected: descendantCount,
    });
  },
});

const READ = { resource: 'location', view: locationView, missing: 'Location not found' } as const;

function changedView(context: ApiContext, row: LookedUp<LocationRow> & { id: number }) {
  return wholeView<LocationRow, ReturnType<typeof locationView>>(context, row, { ...READ, missing: null });
}

export const locationRoutes = [list, create, read, patch, remove, rename];
