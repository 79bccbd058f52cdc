import { type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { secondsOf } from '../../../domain/reports/milliseconds-between.ts';
import { listStays, type StayRow } from '../../../domain/reports/stays/list-stays.ts';
import { listBody, PAGING, sortBy } from '../../../platform/http/lists.ts';
import { booleanFilter, described } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { listed } from '../../../platform/http/success.ts';
import { ASSETS, EXCLUSIVE, KNOWN_AT, knownIfAsked, PLACES, WINDOW, windowFrom } from '../past/parameters.ts';
import { route } from '../serving/context.ts';
import { orNarrower, PAST_IDS, PAST_IDS_EXAMPLE } from './about-the-past.ts';

/** Contract 2.9. */
const STAY: JsonSchema = {
  title: 'StayItem',
  description: 'A stay of an asset at a location that overlaps a window of time.',
  type: 'object',
  properties: {
    ...PAST_IDS,
    entered_at: { ...TIME_SCHEMA, description: 'When it was first seen there, also before the window.' },
    left_at: {
      ...nullableSchema(TIME_SCHEMA),
      description:
        'When it was first seen elsewhere, or deleted, also after the window. Null if it is still there.',
    },
    seconds_in_window: {
      type: 'number',
      minimum: 0,
      description:
        'The seconds of the stay in the window, to the millisecond. With `include_descendants`, only time in which the location was below a requested one.',
    },
    began_before: { type: 'boolean', description: 'It began before the window.' },
    goes_on_after: { type: 'boolean', description: 'It goes on after the window.' },
  },
  required: [
    ...Object.keys(PAST_IDS),
    'entered_at',
    'left_at',
    'seconds_in_window',
    'began_before',
    'goes_on_after',
  ],
  examples: [
    {
      ...PAST_IDS_EXAMPLE,
      entered_at: '2026-05-04T09:41:07.250Z',
      left_at: '2026-05-04T11:12:14.500Z',
      seconds_in_window: 5467.25,
      began_before: false,
      goes_on_after: false,
    },
  ],
};

/** Contract 4.4. */
export const STAYS = {
  parameters: {
    ...WINDOW,
    ...KNOWN_AT,
    ...ASSETS,
    ...PLACES,
    include_deleted: described(
      booleanFilter(false),
      'Stays too of assets that had been deleted by the end of the window.',
    ),
    sort: sortBy(
      ['entered_at', 'asset_external_key', 'location_external_key'],
      [{ field: 'entered_at', isDescending: true }],
    ),
    ...PAGING,
  },
  exclusive: EXCLUSIVE,
} as const satisfies Query;

export const stays = route({
  method: 'GET',
  path: '/api/v1/reports/stays',
  operationId: 'reportStays',
  summary: 'Report the stays in a window of time',
  description:
    'One row for each stay that overlaps the window, last entered first, with its seconds inside. An asset stays until it is seen elsewhere, or deleted. Whether it is in effect does not matter. With `known_at`, the report as known then, without anything recorded later.',
  scope: 'tracking:read',
  query: STAYS,
  success: listed(STAY, 'A page of stays'),
  handle: async ({ context: { db }, query, signal }) => {
    const window = windowFrom(query);
    const known = await knownIfAsked(db, query.known_at, window);
    const page = await orNarrower(
      known === null ? 'from' : 'known_at',
      listStays(db, window, known, query, signal()),
    );
    return listBody(page, query, stayView);
  },
});

/** Contract 2.9. */
function stayView(row: StayRow) {
  return {
    asset_id: row.id,
    asset_external_key: row.external_key,
    asset_deleted_at: wireTimeOrNull(row.deleted_at),
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    entered_at: wireTime(row.entered_at),
    left_at: wireTimeOrNull(row.left_at),
    seconds_in_window: secondsOf(row.milliseconds),
    began_before: row.began_before,
    goes_on_after: row.goes_on_after,
  };
}
