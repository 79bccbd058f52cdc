import { notFound } from '../../../base/errors.ts';
import { findLiveById } from '../../../domain/master-data/by-id.ts';
import { attachOne, MISSING } from '../../../domain/master-data/tags/attach.ts';
import { detachTag } from '../../../domain/master-data/tags/queries.ts';
import { TAG } from '../../../domain/master-data/tags/tag-schema.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { created, noContent } from '../../../platform/http/success.ts';
import { ASSET_ID, LOCATION_ID } from '../items/paths.ts';
import { route } from '../serving/context.ts';
import { newTagBody, TAG_ID } from './schema.ts';
import { tagView } from './view.ts';

const attachToAsset = route({
  method: 'POST',
  path: '/api/v1/assets/{asset_id}/tags',
  operationId: 'attachAssetTag',
  summary: 'Attach a tag to an asset',
  description: 'The organization can have a tag attached once, to one asset or one location.',
  scope: 'assets:write',
  query: NO_QUERY,
  params: ASSET_ID,
  find: {
    missing: MISSING.asset,
    row: ({ context, params }) => findLiveById(context.db, 'asset', params.asset_id),
  },
  body: newTagBody,
  success: created(TAG, 'The tag as attached'),
  problems: { conflict: 'The organization has this tag already' },
  handle: async ({ context: { db }, params: { asset_id: id }, body }) =>
    tagView(
      await db.transaction((it) => attachOne(it, 'asset', id, body, () => findLiveById(it, 'asset', id))),
    ),
});

const attachToLocation = route({
  method: 'POST',
  path: '/api/v1/locations/{location_id}/tags',
  operationId: 'attachLocationTag',
  summary: 'Attach a tag to a location',
  description: 'The organization can have a tag attached once, to one asset or one location.',
  scope: 'locations:write',
  query: NO_QUERY,
  params: LOCATION_ID,
  find: {
    missing: MISSING.location,
    row: ({ context, params }) => findLiveById(context.db, 'location', params.location_id),
  },
  body: newTagBody,
  success: created(TAG, 'The tag as attached'),
  problems: { conflict: 'The organization has this tag already' },
  handle: async ({ context: { db }, params: { location_id: id }, body }) =>
    tagView(
      await db.transaction((it) =>
        attachOne(it, 'location', id, body, () => findLiveById(it, 'location', id)),
      ),
    ),
});

const detachFromAsset = route({
  method: 'DELETE',
  path: '/api/v1/assets/{asset_id}/tags/{tag_id}',
  operationId: 'detachAssetTag',
  summary: 'Detach a tag from an asset',
  description: 'The tag can be attached elsewhere at once.',
  scope: 'assets:write',
  query: NO_QUERY,
  params: { ...ASSET_ID, ...TAG_ID },
  find: {
    missing: MISSING.asset,
    row: ({ context, params }) => findLiveById(context.db, 'asset', params.asset_id),
  },
  success: noContent('The tag is detached'),
  problems: { not_found: 'Asset not found, or the tag is not attached to it' },
  handle: async ({ context, params }) => {
    const { asset_id: id, tag_id: tagId } = params;
    if ((await context.db.transaction((it) => detachTag(it, 'asset', id, tagId))) === null) {
      throw notFound('Tag not found on this asset');
    }
  },
});

const detachFromLocation = route({
  method: 'DELETE',
  path: '/api/v1/locations/{location_id}/tags/{tag_id}',
  operationId: 'detachLocationTag',
  summary: 'Detach a tag from a location',
  description: 'The tag can be attached elsewhere at once.',
  scope: 'locations:write',
  query: NO_QUERY,
  params: { ...LOCATION_ID, ...TAG_ID },
  find: {
    missing: MISSING.location,
    row: ({ context, params }) => findLiveById(context.db, 'location', params.location_id),
  },
  success: noContent('The tag is detached'),
  problems: { not_found: 'Location not found, or the tag is not attached to it' },
  handle: async ({ context, params }) => {
    const { location_id: id, tag_id: tagId } = params;
    if ((await context.db.transaction((it) => detachTag(it, 'location', id, tagId))) === null) {
      throw notFound('Tag not found on this location');
    }
  },
});

export const tagRoutes = [attachToAsset, attachToLocation, detachFromAsset, detachFromLocation];
