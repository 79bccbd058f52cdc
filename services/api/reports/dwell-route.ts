import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { requireFewDays } from '../../../domain/reports/days.ts';
import {
  DWELL_GROUPS,
  DWELL_SORT_FIELDS,
  type DwellRow,
  readDwell,
} from '../../../domain/reports/dwell/read-dwell.ts';
import { secondsOf } from '../../../domain/reports/milliseconds-between.ts';
import { listBody, PAGING, sortBy } from '../../../platform/http/lists.ts';
import { booleanFilter, choiceFilter, described } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { listed } from '../../../platform/http/success.ts';
import { ASSETS, EXCLUSIVE, KNOWN_AT, knownIfAsked, PLACES, WINDOW, windowFrom } from '../past/parameters.ts';
import { route } from '../serving/context.ts';
import { orNarrower, timeZone } from './about-the-past.ts';

const PROPERTIES = {
  location_id: {
    ...nullableSchema(ID_SCHEMA),
    description: 'The location, by `group_by=location`. Null otherwise, and in the row of unseen time.',
  },
  location_external_key: {
    ...nullableSchema(KEY_SCHEMA),
    description: 'The current external key of that location, also if that is deleted by now.',
  },
  asset_id: {
    ...nullableSchema(ID_SCHEMA),
    description:
      'The asset, by `group_by=asset`. Null otherwise, in the row of unseen time, and in the row of assets deleted by the end of the window.',
  },
  asset_external_key: { ...nullableSchema(KEY_SCHEMA), description: 'The external key of that asset.' },
  day: {
    type: ['string', 'null'],
    format: 'date',
    description: 'The day in the time zone, by `group_by=day`. Null otherwise.',
  },
  seen: {
    type: 'boolean',
    description:
      'False in one row: the time in which assets had not been seen yet, never scanned assets included. It is there unless locations are named.',
  },
  total_seconds: seconds('All stays together, exact to the millisecond.'),
  mean_seconds: seconds('The mean of the stays, rounded to the millisecond.'),
  median_seconds: seconds('The median of the stays, interpolated and rounded to the millisecond.'),
  p90_seconds: seconds(
    'As long or shorter were nine of ten stays, interpolated and rounded to the millisecond.',
  ),
  max_seconds: seconds('The longest stay.'),
  stays: { type: 'integer', minimum: 1, description: 'How many stays there were, each counted once.' },
  assets: { type: 'integer', minimum: 1, description: 'How many different assets stayed.' },
} as const satisfies Record<string, JsonSchema>;

/** Contract 2.9. */
const DWELL_ITEM: JsonSchema = {
  title: 'DwellItem',
  description: 'How long assets stayed. Of each stay the time within the window counts.',
  type: 'object',
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  examples: [
    {
      location_id: 4,
      location_external_key: 'DOCK-1',
      asset_id: null,
      asset_external_key: null,
      day: null,
      seen: true,
      total_seconds: 18720.5,
      mean_seconds: 2340.063,
      median_seconds: 1860.25,
      p90_seconds: 5104.35,
      max_seconds: 7200,
      stays: 8,
      assets: 5,
    },
  ],
};

/** Contract 4.4. */
export const DWELL = {
  parameters: {
    ...WINDOW,
    ...KNOWN_AT,
    group_by: described(choiceFilter(DWELL_GROUPS, 'location'), 'One row for each location, asset or day.'),
    time_zone: described(
      timeZone,
      'The time zone in which days begin, for `group_by=day`: a name of the IANA database.',
      'Europe/Berlin',
    ),
    ...ASSETS,
    ...PLACES,
    include_deleted: described(
      booleanFilter(false),
      'Assets that were deleted by the end of the window have rows of their own, by `group_by=asset`. They count in any case, until they were deleted.',
    ),
    sort: sortBy(DWELL_SORT_FIELDS, [
      { field: 'location_external_key', isDescending: false },
      { field: 'asset_external_key', isDescending: false },
      { field: 'day', isDescending: false },
    ]),
    ...PAGING,
  },
  exclusive: EXCLUSIVE,
} as const satisfies Query;

export const dwell = route({
  method: 'GET',
  path: '/api/v1/reports/dwell',
  operationId: 'reportDwell',
  summary: 'Report how long assets stayed',
  description:
    'One row for each location, asset or day. Stays are cut to the window; an unfinished one lasts until `to`. All rows together, with the row of time before the first scan, are the window times the assets, to the millisecond; assets deleted since count until then. With `known_at`, the report as known then, without later records and assets created later.',
  scope: 'tracking:read',
  query: DWELL,
  success: listed(DWELL_ITEM, 'A page of groups'),
  handle: async ({ context: { db }, query, signal }) => {
    const window = windowFrom(query);
    if (query.group_by === 'day') {
      requireFewDays(window);
    }
    const known = await knownIfAsked(db, query.known_at, window);
    const page = await orNarrower(
      known === null ? 'from' : 'known_at',
      readDwell(db, window, known, query, signal()),
    );
    return listBody(page, query, dwellView);
  },
});

/** Contract 2.9. */
function dwellView(row: DwellRow) {
  return {
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    asset_id: row.asset_id,
    asset_external_key: row.asset_external_key,
    day: row.day,
    seen: row.seen,
    total_seconds: secondsOf(row.total),
    mean_seconds: secondsOf(row.mean),
    median_seconds: secondsOf(row.median),
    p90_seconds: secondsOf(row.p90),
    max_seconds: secondsOf(row.max),
    stays: row.stays,
    assets: row.assets,
  };
}

function seconds(description: string): JsonSchema {
  return { type: 'number', minimum: 0, description };
}
