import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { findById } from '../../../domain/master-data/by-id-or-key.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { found } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { MOST_STAYS, readStays, STAYS, STAYS_QUERY, type StaysRow } from './queries.ts';

/** Retired ones too: their history stays. */
export const OF_ASSET = {
  params: { asset_id: idInPath },
  find: {
    missing: 'Asset not found',
    row: ({ context, params }: { context: ConsoleContext; params: { asset_id: number } }) =>
      findById(context.db, 'asset', params.asset_id),
  },
};

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/assets/{asset_id}/stays', operationId: 'listStays' },
  summary: 'Where an asset was, stay by stay',
  description: 'Those that overlap the range, oldest first; the newest of them if they are too many.',
  scope: 'tracking:read',
  query: STAYS_QUERY,
  ...OF_ASSET,
  success: found(STAYS, 'The stays'),
  handle: async ({ context, query, row: assetId, signal }) =>
    staysView(await readStays(context.db, assetId, query, signal())),
});

export const stayRoutes = [list];

function staysView(rows: readonly StaysRow[]) {
  const stays = rows.flatMap(({ id, external_key, name, arrived_at, left_at }) =>
    id === null
      ? []
      : {
          location: { id, external_key, name },
          arrived_at: wireTime(arrived_at),
          left_at: wireTimeOrNull(left_at),
        },
  );
  return {
    first_seen: wireTimeOrNull(rows[0]?.first_seen ?? null),
    last_seen: wireTimeOrNull(rows[0]?.last_seen ?? null),
    stays: stays.slice(0, MOST_STAYS).toReversed(),
    is_cut: stays.length > MOST_STAYS,
  };
}
