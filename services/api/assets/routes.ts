import { deleteAsset, patchAsset, renameAsset } from '../../../domain/master-data/assets/change.ts';
import { createAsset } from '../../../domain/master-data/assets/create.ts';
import { listAssets } from '../../../domain/master-data/assets/list.ts';
import { lookUpAsset } from '../../../domain/master-data/assets/queries.ts';
import { findLiveById } from '../../../domain/master-data/by-id-or-key.ts';
import { ASSET_COLUMNS } from '../../../domain/master-data/columns.ts';
import type { LookedUp } from '../../../domain/master-data/large-texts.ts';
import type { AssetRow } from '../../../domain/master-data/rows.ts';
import { TOO_MANY_LARGE } from '../../../platform/http/large-answers.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { answered, created, found, listed, noContent, withMember } from '../../../platform/http/success.ts';
import { ASSET_ID, clearedByNull, RENAME_EXAMPLE, renameBody } from '../items/item-schema.ts';
import { type ApiContext, actorOf, requireScope, route } from '../serving/context.ts';
import { wholeView } from '../serving/whole-row.ts';
import {
  ASSET,
  ASSET_LIST,
  ASSET_PATCH_EXAMPLE,
  assetPatchBody,
  newAssetBody,
  RENAMED_ASSET,
} from './schema.ts';
import { assetView } from './view.ts';

const list = route({
  method: 'GET',
  path: '/api/v1/assets',
  operationId: 'listAssets',
  summary: 'List the assets in effect',
  description:
    'Lists rows in effect now: `valid_from` has come, `valid_to` has not. `include_not_in_effect` adds the others. All filters must match; a repeated filter matches any of its values. The filters by state and by when an asset was last seen also need the scope `tracking:read`.',
  scope: 'assets:read',
  query: ASSET_LIST,
  success: listed(ASSET, 'A page of assets'),
  problems: { unavailable: TOO_MANY_LARGE },
  handle: async ({ context, query, signal }) => {
    const { state, seen_within_seconds: seen, unseen_for_seconds: unseen } = query;
    if (state !== undefined || seen !== undefined || unseen !== undefined) {
      requireScope(context, 'tracking:read');
    }
    const hangUp = signal();
    const filters = await context.inStates(context.db, query, hangUp);
    return listBody(await listAssets(context.db, filters, context.readLarge, hangUp), query, assetView);
  },
});

const create = route({
  method: 'POST',
  path: '/api/v1/assets',
  operationId: 'createAsset',
  summary: 'Create an asset',
  description:
    "Creates the asset and attaches its tags, or does nothing. An asset's location cannot be written: it comes from scans.",
  scope: 'assets:write',
  body: newAssetBody,
  success: created(ASSET, 'The asset as created', { location_id: null, location_external_key: null }),
  problems: { conflict: 'The external key or a tag is taken, also by an asset that is not in effect' },
  handle: async ({ context, body, requestId }) =>
    assetView(await createAsset(context.db, actorOf(context, requestId), body)),
});

const read = route({
  method: 'GET',
  path: '/api/v1/assets/{asset_id}',
  operationId: 'getAsset',
  summary: 'Read a live asset',
  description:
    'In effect or not. A soft-deleted asset is not found here; the list has it with `include_deleted`.',
  scope: 'assets:read',
  params: ASSET_ID,
  find: {
    missing: 'Asset not found',
    row: ({ context, params }) => lookUpAsset(context.db, params.asset_id),
  },
  success: found(ASSET, 'The asset'),
  handle: ({ context, row }) => wholeView<AssetRow, ReturnType<typeof assetView>>(context, row, READ),
});

const patch = route({
  method: 'PATCH',
  path: '/api/v1/assets/{asset_id}',
  operationId: 'updateAsset',
  summary: 'Change an asset',
  description: `Fields that are left out stay as they are; null clears ${clearedByNull(ASSET_COLUMNS)}. What changes nothing is answered like any other change, and leaves \`updated_at\` as it is, so that what was read can be sent back. Send the \`updated_at\` that you read along, and a row that has changed since is left alone (\`read_only\`).`,
  scope: 'assets:write',
  params: ASSET_ID,
  find: {
    missing: 'Asset not found',
    row: ({ context, params }) => findLiveById(context.db, 'asset', params.asset_id),
  },
  body: assetPatchBody,
  success: found(ASSET, 'The asset as it is now', {
    ...ASSET_PATCH_EXAMPLE,
    updated_at: '2026-05-06T14:20:00.000Z',
  }),
  handle: async ({ context, row: id, body, requestId }) =>
    changedView(
      context,
      await patchAsset(context.db, actorOf(context, requestId), id, body, context.sameJson),
    ),
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/assets/{asset_id}',
  operationId: 'deleteAsset',
  summary: 'Soft-delete an asset and detach its tags',
  description:
    'Its external key and its tags can be used again at once. The asset stays readable in lists with `include_deleted`.',
  scope: 'assets:write',
  params: ASSET_ID,
  success: noContent('The asset is deleted'),
  problems: { not_found: 'Asset not found' },
  handle: ({ context, params, requestId }) =>
    deleteAsset(context.db, actorOf(context, requestId), params.asset_id),
});

const rename = route({
  method: 'POST',
  path: '/api/v1/assets/{asset_id}/rename',
  operationId: 'renameAsset',
  summary: 'Give an asset another external key',
  description: 'The id stays. A key that is the same already changes nothing.',
  scope: 'assets:write',
  params: ASSET_ID,
  find: {
    missing: 'Asset not found',
    row: ({ context, params }) => findLiveById(context.db, 'asset', params.asset_id),
  },
  body: renameBody,
  success: answered(RENAMED_ASSET, 'The asset under its new key', {
    ...RENAME_EXAMPLE,
    updated_at: '2026-05-06T14:20:00.000Z',
  }),
  problems: { conflict: 'The external key is taken, also by an asset that is not in effect' },
  handle: async ({ context, row: id, body, requestId }) => {
    const renamed = await renameAsset(context.db, actorOf(context, requestId), id, body.external_key);
    return withMember('data', await changedView(context, renamed), { descendant_count_affected: 0 });
  },
});

const READ = { resource: 'asset', view: assetView, missing: 'Asset not found' } as const;

function changedView(context: ApiContext, row: LookedUp<AssetRow> & { id: number }) {
  return wholeView<AssetRow, ReturnType<typeof assetView>>(context, row, { ...READ, missing: null });
}

export const assetRoutes = [list, create, read, patch, remove, rename];
