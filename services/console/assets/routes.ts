import { ID_SCHEMA } from '../../../base/checks/fields.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { listViews, removeView, saveView } from '../../../domain/master-data/assets/views.ts';
import {
  addNote,
  findPhoto,
  listPhotos,
  readPhoto,
  removePhoto,
  type StoredPhoto,
  setPhoto,
} from '../../../domain/master-data/plans/asset-photo.ts';
import { TOO_MANY_LARGE } from '../../../platform/http/large-answers.ts';
import { anyOf, idFilter, idInPath, mandatory, searchText } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { FileAnswer } from '../../../platform/http/stored-file.ts';
import { found, noContent } from '../../../platform/http/success.ts';
import { IMAGE, imageBody } from '../plans/schema.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { COUNT_SCHEMA, listOf, objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';
import { takeUploadTurn } from '../serving/upload-turn.ts';
import { noteBody, VIEW, VIEW_NAME, viewBody } from './schema.ts';

/** How many of the last changed assets are looked through. */
const MOST_ASSETS = 500;
/** Bytes of metadata of each, as stored: programs may keep a megabyte. */
const MOST_BYTES = 2_000;
const MOST_NAMES = 50;
const MOST_VALUES = 20;

const names = memberRoute({
  ...{ method: 'GET', path: '/console/v1/metadata-fields', operationId: 'listMetadataFields' },
  summary: 'List names of metadata fields and their values, from recently changed assets',
  description: 'Suggestions while metadata is edited. The most frequent come first.',
  scope: 'assets:read',
  success: found(
    listOf(objectOf({ name: TEXT_SCHEMA, values: listOf(TEXT_SCHEMA) })),
    'Names and their values',
  ),
  handle: ({ context: { db }, signal }) => metadataFields(db, signal()),
});

const BY_ASSET = { parameters: { asset_id: anyOf(idFilter) } } as const satisfies Query;

const PHOTO = objectOf({
  ...{ asset_id: ID_SCHEMA, media_type: TEXT_SCHEMA, width: COUNT_SCHEMA, height: COUNT_SCHEMA },
  ...{ size: COUNT_SCHEMA, digest: TEXT_SCHEMA },
});

const photos = memberRoute({
  ...{ method: 'GET', path: '/console/v1/photos', operationId: 'listPhotos' },
  summary: 'Which of the named assets have a photo',
  ...{ scope: 'assets:read', query: BY_ASSET },
  success: found(listOf(PHOTO), 'Their photos, without the images'),
  handle: async ({ context: { db }, query: { asset_id: ids = [] } }) =>
    (await listPhotos(db, ids)).map(photoView),
});

const setPhotoRoute = memberRoute({
  ...{ method: 'POST', path: '/console/v1/photos', operationId: 'setPhoto' },
  summary: 'Give an asset a photo, or another one: a PNG, JPEG or WebP image',
  ...{ scope: 'assets:write', query: { parameters: { asset_id: mandatory(idFilter) } }, body: imageBody },
  success: found(PHOTO, 'The photo'),
  problems: { not_found: 'No such asset', conflict: 'The photos of the organization are too large' },
  handle: async (request) => {
    await takeUploadTurn(request);
    const { context, body: image, query, requestId } = request;
    const actor = actorOfUser(context.session, requestId);
    return photoView(await setPhoto(context.db, actor, query.asset_id, image));
  },
});

const ONE_PHOTO = {
  params: { photo_id: idInPath },
  find: {
    missing: 'Photo not found',
    row: ({ context, params }: { context: ConsoleContext; params: { photo_id: number } }) =>
      findPhoto(context.db, params.photo_id),
  },
} as const;

/** `organization` is read with the session; `digest` gives another image another address. */
const PHOTO_QUERY = {
  parameters: { organization: idFilter, digest: searchText },
} as const satisfies Query;

const photo = memberRoute({
  ...{ method: 'GET', path: '/console/v1/photos/{photo_id}', operationId: 'getPhoto' },
  summary: 'The photo of the asset with this id',
  ...{ scope: 'assets:read', query: PHOTO_QUERY, ...ONE_PHOTO },
  success: IMAGE,
  problems: { unavailable: TOO_MANY_LARGE },
  handle: async ({ context: { db }, row }) =>
    new FileAnswer({
      ...{ mediaType: row.media_type, size: row.size, digest: row.sha256 },
      pieces: () => readPhoto(db, row),
    }),
});

const removePhotoRoute = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/photos/{photo_id}', operationId: 'removePhoto' },
  summary: 'Remove the photo of the asset with this id',
  ...{ scope: 'assets:write', ...ONE_PHOTO },
  success: noContent('It is gone'),
  handle: ({ context, row, requestId }) =>
    removePhoto(context.db, actorOfUser(context.session, requestId), row.asset_id),
});

const addNoteRoute = memberRoute({
  ...{ method: 'POST', path: '/console/v1/assets/{asset_id}/notes', operationId: 'addNote' },
  summary: 'Write a note on an asset into the change log',
  ...{ scope: 'assets:write', params: { asset_id: idInPath }, body: noteBody },
  success: noContent('It is written'),
  problems: { not_found: 'No such asset' },
  handle: ({ context, params, body, requestId }) =>
    addNote(context.db, actorOfUser(context.session, requestId), params.asset_id, body.note),
});

const views = memberRoute({
  ...{ method: 'GET', path: '/console/v1/asset-views', operationId: 'listViews' },
  summary: 'List the views of the list of assets, by name',
  scope: 'assets:read',
  success: found(listOf(VIEW), 'The views'),
  handle: ({ context: { db } }) => listViews(db),
});

const saveViewRoute = memberRoute({
  ...{ method: 'POST', path: '/console/v1/asset-views', operationId: 'saveView' },
  summary: 'Save a view of the list of assets, in the place of one of this name',
  ...{ scope: 'assets:write', body: viewBody },
  success: noContent('It is saved'),
  problems: { conflict: 'The maximum of views is reached' },
  handle: ({ context: { db, session }, body, requestId }) =>
    saveView(db, actorOfUser(session, requestId), body),
});

const removeViewRoute = memberRoute({
  ...{ method: 'DELETE', path: '/console/v1/asset-views', operationId: 'removeView' },
  summary: 'Remove a view of the list of assets',
  ...{ scope: 'assets:write', query: { parameters: { name: VIEW_NAME } } },
  success: noContent('It is gone'),
  handle: ({ context: { db, session }, query, requestId }) =>
    removeView(db, actorOfUser(session, requestId), query.name),
});

export const assetRoutes = [
  ...[names, photos, setPhotoRoute, photo, removePhotoRoute, addNoteRoute],
  ...[views, saveViewRoute, removeViewRoute],
];

function photoView({ sha256, ...photo }: StoredPhoto) {
  return { ...photo, digest: sha256 };
}

interface FieldRow {
  name: string;
  values: string[];
}

function metadataFields(db: OrganizationDatabase, signal: AbortSignal): Promise<readonly FieldRow[]> {
  return db.listing({ isBrief: false, signal }).any(sql.type(rowsOf<FieldRow>())`
    with lately as materialized (
      select metadata from assets
      where org_id = ${db.orgId} and updated_at is not null
      order by updated_at desc limit ${MOST_ASSETS}
    ),
    used as (
      select field.key as name, field.value #>> '{}' as value, count(*) as uses
      from lately cross join lateral json_each(metadata) field
      where pg_column_size(metadata) <= ${MOST_BYTES} and char_length(field.key) between 1 and 100
        and json_typeof(field.value) in ('string', 'number', 'boolean')
        and char_length(field.value #>> '{}') between 1 and 100
      group by 1, 2
    )
    select name, (array_agg(value order by uses desc, value))[:${MOST_VALUES}::integer] as values
    from used group by name order by sum(uses) desc, name limit ${MOST_NAMES}`);
}
