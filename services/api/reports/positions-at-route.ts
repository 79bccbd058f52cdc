import { type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { toMicros, wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import {
  listPositionsAt,
  type PositionAtRow,
} from '../../../domain/reports/positions-at/list-positions-at.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import { listBody, PAGING, sortBy } from '../../../platform/http/lists.ts';
import { booleanFilter, described } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { listed } from '../../../platform/http/success.ts';
import { ASSETS, AT, EXCLUSIVE, KNOWN_AT, knownIfAsked, PLACES } from '../past/parameters.ts';
import { route } from '../serving/context.ts';
import { orNarrower, PAST_IDS, PAST_IDS_EXAMPLE } from './about-the-past.ts';

/** Contract 2.9. */
const POSITION_AT: JsonSchema = {
  title: 'PositionAtItem',
  description: 'Where an asset was at an instant.',
  type: 'object',
  properties: {
    ...PAST_IDS,
    since: { ...TIME_SCHEMA, description: 'When it was first seen there.' },
    last_seen: {
      ...TIME_SCHEMA,
      description:
        'When it had last been seen by then; equals `since` once scans of that time are no longer kept.',
    },
  },
  required: [...Object.keys(PAST_IDS), 'since', 'last_seen'],
  examples: [
    { ...PAST_IDS_EXAMPLE, since: '2026-05-04T09:41:07.250Z', last_seen: '2026-05-04T09:58:12.500Z' },
  ],
};

/** Contract 4.4. */
export const POSITIONS_AT = {
  parameters: {
    ...AT,
    ...KNOWN_AT,
    ...ASSETS,
    ...PLACES,
    include_deleted: described(booleanFilter(false), 'Assets too that had been deleted by then.'),
    sort: sortBy(
      ['asset_external_key', 'location_external_key', 'since'],
      [{ field: 'asset_external_key', isDescending: false }],
    ),
    ...PAGING,
  },
  exclusive: EXCLUSIVE,
} as const satisfies Query;

export const positionsAt = route({
  method: 'GET',
  path: '/api/v1/reports/positions-at',
  operationId: 'reportPositionsAt',
  summary: 'Report where the assets were at an instant',
  description:
    'One row for each asset that had been seen by then: the location it was at, since when, and when it had last been seen. Whether an asset is in effect does not matter; assets deleted later are included. With `known_at`, the report as known then, without anything recorded later.',
  scope: 'tracking:read',
  query: POSITIONS_AT,
  success: listed(POSITION_AT, 'A page of where assets were'),
  handle: async ({ context: { db }, query, signal }) => {
    const { at, known_at: knownAt } = query;
    const known = await knownIfAsked(db, knownAt, { at: toMicros(at.instant) });
    const page = await orNarrower(
      known === null ? 'at' : 'known_at',
      listPositionsAt(db, firstAfter(at), known, query, signal()),
    );
    return listBody(page, query, positionAtView);
  },
});

/** Contract 2.9. */
function positionAtView(row: PositionAtRow) {
  return {
    asset_id: row.id,
    asset_external_key: row.external_key,
    asset_deleted_at: wireTimeOrNull(row.deleted_at),
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    since: wireTime(row.since),
    last_seen: wireTime(row.last_seen),
  };
}
