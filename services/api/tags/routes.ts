import { notFound } from '../../../base/errors.ts';
import { makeChange } from '../../../domain/changes/make-change.ts';
import { findLiveById } from '../../../domain/master-data/by-id-or-key.ts';
import { attachOne, detachOne, MISSING } from '../../../domain/master-data/tags/attach.ts';
import { namedTag, TAG, type TagRow } from '../../../domain/master-data/tags/stored-tags.ts';
import { created, noContent } from '../../../platform/http/success.ts';
import { ASSET_ID, LOCATION_ID } from '../items/item-schema.ts';
import { actorOf, route } from '../serving/context.ts';
import { newTagBody, TAG_ID } from './schema.ts';

const attachToAsset = route({
  method: 'POST',
  path: '/api/v1/assets/{asset_id}/tags',
  operationId: 'attachAssetTag',
  summary: 'Attach a tag to an asset',
  description: 'The organization can have a tag attached once, to one asset or one location.',
  scope: 'assets:write',
  params: ASSET_ID,
  find: {
    missing: MISSING.asset,
    row: ({ context, params }) => findLiveById(context.db, 'asset', params.asset_id),
  },
  body: newTagBody,
  success: created(TAG, 'The tag as attached'),
  problems: { conflict: 'The organization has this tag already' },
  handle: async ({ context, params: { asset_id: id }, body, requestId }) =>
    tagView(
      await makeChange(context.db, actorOf(context, requestId), (change) =>
        attachOne(change, 'asset', id, body, () => findLiveById(change, 'asset', id)),
      ),
    ),
});

const attachToLocation = route({
  method: 'POST',
  path: '/api/v1/locations/{location_id}/tags',
  operationId: 'attachLocationTag',
  summary: 'Attach a tag to a location',
  description: 'The organization can have a tag attached once, to one asset or one location.',
  scope: 'locations:write',
  params: LOCATION_ID,
  find: {
    missing: MISSING.location,
    row: ({ context, params }) => findLiveById(context.db, 'location', params.location_id),
  },
  body: newTagBody,
  success: created(TAG, 'The tag as attached'),
  problems: { conflict: 'The organization has this tag already' },
  handle: async ({ context, params: { location_id: id }, body, requestId }) =>
    tagView(
      await makeChange(context.db, actorOf(context, requestId), (change) =>
        attachOne(change, 'location', id, body, () => findLiveById(change, 'location', id)),
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
  params: { ...ASSET_ID, ...TAG_ID },
  find: {
    missing: MISSING.asset,
    row: ({ context, params }) => findLiveById(context.db, 'asset', params.asset_id),
  },
  success: noContent('The tag is detached'),
  problems: { not_found: 'Asset not found, or the tag is not attached to it' },
  handle: async ({ context, params, requestId }) => {
    const { asset_id: id, tag_id: tagId } = params;
    const detached = await makeChange(context.db, actorOf(context, requestId), (change) =>
      detachOne(change, 'asset', id, tagId),
    );
    if (!detached) {
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
  params: { ...LOCATION_ID, ...TAG_ID },
  find: {
    missing: MISSING.location,
    row: ({ context, params }) => findLiveById(context.db, 'location', params.location_id),
  },
  success: noContent('The tag is detached'),
  problems: { not_found: 'Location not found, or the tag is not attached to it' },
  handle: async ({ context, params, requestId }) => {
    const { location_id: id, tag_id: tagId } = params;
    const detached = await makeChange(context.db, actorOf(context, requestId), (change) =>
      detachOne(change, 'location', id, tagId),
    );
    if (!detached) {
      throw notFound('Tag not found on this location');
    }
  },
});

export const tagRoutes = [attachToAsset, attachToLocation, detachFromAsset, detachFromLocation];

function tagView({ id, tag_type, value }: TagRow) {
  return namedTag({ id, tag_type, value });
}
