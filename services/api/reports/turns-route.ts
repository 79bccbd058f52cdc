import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA } from '../../../base/checks/fields.ts';
import { refuseIssues, required } from '../../../base/checks/issues.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { requireFewDays } from '../../../domain/reports/days.ts';
import { secondsOf } from '../../../domain/reports/milliseconds-between.ts';
import type { PlaceFilters } from '../../../domain/reports/places-during.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import {
  readTurns,
  TURN_GROUPS,
  TURN_SORT_FIELDS,
  type TurnRow,
} from '../../../domain/reports/turns/read-turns.ts';
import type { TripPlaces } from '../../../domain/reports/turns/trips.ts';
import { listBody, PAGING, sortBy } from '../../../platform/http/lists.ts';
import {
  booleanFilter,
  choiceFilter,
  described,
  idFilter,
  keyFilter,
} from '../../../platform/http/parameters.ts';
import type { ParameterValues, Query } from '../../../platform/http/query.ts';
import { listed } from '../../../platform/http/success.ts';
import { ASSETS, WINDOW, windowFrom } from '../past/parameters.ts';
import { route } from '../serving/context.ts';
import { orNarrower, timeZone } from './about-the-past.ts';

function seconds(description: string): JsonSchema {
  return { type: ['number', 'null'], minimum: 0, description: `${description} Null if no trip ended.` };
}

const PROPERTIES = {
  asset_id: {
    ...nullableSchema(ID_SCHEMA),
    description:
      'The asset, by `group_by=asset`. Null otherwise, and in the row that sums up the assets deleted by the end of the window.',
  },
  asset_external_key: { ...nullableSchema(KEY_SCHEMA), description: 'The external key of that asset.' },
  day: {
    type: ['string', 'null'],
    format: 'date',
    description:
      'The day in the time zone on which the trips ended, or began that did not end, by `group_by=day`. Null otherwise.',
  },
  count: { type: 'integer', minimum: 0, description: 'How many trips ended in the window.' },
  median_seconds: seconds('The median of these trips, interpolated and rounded to the millisecond.'),
  p90_seconds: seconds(
    'As long or shorter were nine of ten trips, interpolated and rounded to the millisecond.',
  ),
  max_seconds: seconds('The longest trip.'),
  not_ended: {
    type: 'integer',
    minimum: 0,
    description:
      'How many assets left the first location within the window, and by its end had neither arrived at the second nor come back.',
  },
} as const satisfies Record<string, JsonSchema>;

/** Contract 2.9. */
const TURN: JsonSchema = {
  title: 'TurnItem',
  description: 'How long assets took from one location to another.',
  type: 'object',
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  examples: [
    {
      asset_id: null,
      asset_external_key: null,
      day: null,
      count: 212,
      median_seconds: 86412.5,
      p90_seconds: 190080.75,
      max_seconds: 431999.9,
      not_ended: 17,
    },
  ],
};

/** Contract 4.4. */
const TURNS = {
  parameters: {
    ...WINDOW,
    from_location_id: described(idFilter, 'Where trips begin; this or its external key is required.', 4),
    from_location_external_key: described(
      keyFilter,
      'Where trips begin; this or its id is required.',
      'DOCK-1',
    ),
    to_location_id: described(idFilter, 'Where trips end; this or its external key is required.', 9),
    to_location_external_key: described(keyFilter, 'Where trips end; this or its id is required.', 'WASHING'),
    include_descendants: described(
      booleanFilter(false),
      'The locations below both count too; each move counts by the tree at its instant.',
    ),
    group_by: described(
      choiceFilter(TURN_GROUPS, undefined),
      'A row for each asset, or for each day, instead of one for all trips.',
    ),
    time_zone: described(
      timeZone,
      'The time zone in which days begin, for `group_by=day`: a name of the IANA database.',
      'Europe/Berlin',
    ),
    ...ASSETS,
    include_deleted: described(
      booleanFilter(false),
      'Assets that were deleted by the end of the window have rows of their own, by `group_by=asset`. Their trips count in any case.',
    ),
    sort: sortBy(TURN_SORT_FIELDS, [
      { field: 'asset_external_key', isDescending: false },
      { field: 'day', isDescending: false },
    ]),
    ...PAGING,
  },
  shown: ['from_location_external_key', 'to_location_external_key'],
  exclusive: [
    ['from_location_id', 'from_location_external_key'],
    ['to_location_id', 'to_location_external_key'],
    ['asset_id', 'asset_external_key'],
  ],
} as const satisfies Query;

type TurnsQuery = ParameterValues<(typeof TURNS)['parameters']>;

export const turns = route({
  method: 'GET',
  path: '/api/v1/reports/turns',
  operationId: 'reportTurns',
  summary: 'Report how long trips between two locations took',
  description:
    'A trip begins when an asset leaves the first location and ends when it arrives at the second, however many locations lie between. It is measured from the last departure before the arrival, and belongs to the window in which it ends. With `include_descendants`, moves count by the tree at the instant of each; an asset that does not move neither leaves nor arrives when locations around it get another parent. With the same location twice, it is how long assets were away.',
  scope: 'tracking:read',
  query: TURNS,
  success: listed(TURN, 'A page of groups; without `group_by` one row'),
  handle: async ({ context: { db }, query, signal }) => {
    const window = windowFrom(query);
    const places = placesOf(query);
    if (query.group_by === 'day') {
      requireFewDays(window);
    }
    await requirePast(db, window);
    return listBody(
      await orNarrower('from', readTurns(db, window, places, query, signal())),
      query,
      turnView,
    );
  },
});

/** @throws Invalid for a place that is not named. */
function placesOf(query: TurnsQuery): TripPlaces {
  const named = {
    from: [query.from_location_id, query.from_location_external_key],
    to: [query.to_location_id, query.to_location_external_key],
  } as const;
  refuseIssues(
    Object.entries(named)
      .filter(([, forms]) => forms.every((form) => form === undefined))
      .map(([end]) => required(`${end}_location_id`)),
  );
  const filters = ([id, key]: readonly [number | undefined, string | undefined]): PlaceFilters => ({
    location_id: id === undefined ? undefined : [id],
    location_external_key: key === undefined ? undefined : [key],
    include_descendants: query.include_descendants,
  });
  return { left: filters(named.from), reached: filters(named.to) };
}

/** Contract 2.9. */
function turnView(row: TurnRow) {
  return {
    asset_id: row.asset_id,
    asset_external_key: row.asset_external_key,
    day: row.day,
    count: row.count,
    median_seconds: secondsOrNull(row.median),
    p90_seconds: secondsOrNull(row.p90),
    max_seconds: secondsOrNull(row.max),
    not_ended: row.not_ended,
  };
}

function secondsOrNull(milliseconds: number | null): number | null {
  return milliseconds === null ? null : secondsOf(milliseconds);
}
