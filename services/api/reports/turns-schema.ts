import { type JsonSchema, KEY_SCHEMA } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TURN_GROUPS, TURN_SORT_FIELDS } from '../../../domain/reports/turns/read-turns.ts';
import { PAGING, sortBy } from '../../../platform/http/lists.ts';
import {
  booleanFilter,
  choiceFilter,
  described,
  idFilter,
  keyFilter,
} from '../../../platform/http/parameters.ts';
import type { ParameterValues, Query } from '../../../platform/http/query.ts';
import { ASSETS, WINDOW } from '../past/parameters.ts';
import { timeZone } from './time-zone.ts';

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
export const TURN: JsonSchema = {
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
export const TURNS = {
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
  exclusive: [
    ['from_location_id', 'from_location_external_key'],
    ['to_location_id', 'to_location_external_key'],
    ['asset_id', 'asset_external_key'],
  ],
} as const satisfies Query;

export type TurnsQuery = ParameterValues<(typeof TURNS)['parameters']>;
