import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { findLiveById } from '../../../domain/master-data/by-id.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found, listed } from '../../../platform/http/success.ts';
import { type ConsoleContext, memberRoute } from '../serving/context.ts';
import { referenceOf } from '../serving/reference.ts';
import { listPresent, type PassingRow, type PresentRow, readPassing } from './queries.ts';
import { PASSING, PRESENT, PRESENT_QUERY } from './schema.ts';

export const OF_LOCATION = {
  params: { location_id: idInPath },
  find: {
    missing: 'Location not found',
    row: ({ context, params }: { context: ConsoleContext; params: { location_id: number } }) =>
      findLiveById(context.db, 'location', params.location_id),
  },
};

const present = memberRoute({
  ...{ method: 'GET', path: '/console/v1/locations/{location_id}/present', operationId: 'listPresent' },
  summary: 'What is at a location, the last to arrive first',
  scope: 'tracking:read',
  query: PRESENT_QUERY,
  ...OF_LOCATION,
  success: listed(PRESENT, 'A page of assets'),
  handle: async ({ context, query, row: id, signal }) =>
    listBody(await listPresent(context.db, id, query, signal()), query, presentView),
});

const arrivals = memberRoute({
  ...{ method: 'GET', path: '/console/v1/locations/{location_id}/arrivals', operationId: 'listArrivals' },
  summary: 'What came to a location or left it lately, the latest first',
  description: 'Of the last events of the whole feed, back to `since`.',
  scope: 'tracking:read',
  query: NO_QUERY,
  ...OF_LOCATION,
  success: found(PASSING, 'Arrivals and departures'),
  handle: async ({ context, row: id, signal }) =>
    passingView(await readPassing(context.db, id, signal()), id),
});

export const presenceRoutes = [present, arrivals];

function presentView({ id, external_key, name, since, last_seen }: PresentRow) {
  return { id, external_key, name, since: wireTimeOrNull(since), last_seen: wireTimeOrNull(last_seen) };
}

function passingView(rows: readonly PassingRow[], locationId: number) {
  return {
    since: wireTimeOrNull(rows[0]?.looked_back_to ?? null),
    moves: rows.flatMap((row) =>
      row.position === null
        ? []
        : {
            position: row.position,
            at: wireTime(row.at),
            asset: referenceOf(row.asset_id, row.asset_external_key, row.asset_name),
            is_arrival: row.location_id === locationId,
            other: referenceOf(row.other_id, row.other_external_key, row.other_name),
          },
    ),
  };
}
