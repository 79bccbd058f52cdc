import { wireTime } from '../../../base/timestamps.ts';
import { findLiveById } from '../../../domain/master-data/by-id-or-key.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { listed } from '../../../platform/http/success.ts';
import { ASSET_ID } from '../items/item-schema.ts';
import { route } from '../serving/context.ts';
import { listReadings, type ReadingRow } from './queries.ts';
import { READING_ITEM, READINGS } from './schema.ts';

const list = route({
  method: 'GET',
  path: '/api/v1/assets/{asset_id}/readings',
  operationId: 'listAssetReadings',
  summary: 'List what the tags of an asset measured',
  description:
    'Temperature, humidity, battery, button and motion as its tags sent them, newest first, each value once. With `bucket`, least, mean and greatest value of each minute, hour or day.',
  scope: 'tracking:read',
  query: READINGS,
  params: ASSET_ID,
  find: {
    missing: 'Asset not found',
    row: ({ context, params }) => findLiveById(context.db, 'asset', params.asset_id),
  },
  success: listed(READING_ITEM, 'A page of values'),
  handle: async ({ context: { db }, query, row: assetId, signal }) =>
    listBody(await listReadings(db, assetId, query, signal()), query, readingView),
});

export const readingRoutes = [list];

function readingView({ observed_at, kind, tag_id, value, min, mean, max, count }: ReadingRow) {
  return { observed_at: wireTime(observed_at), kind, tag_id, value, min, mean, max, count };
}
