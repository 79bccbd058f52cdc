import { ID_SCHEMA, type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { READING_KINDS } from '../../../domain/tracking/reading-kind.ts';
import { PAGING, sortBy } from '../../../platform/http/lists.ts';
import { anyOf, choiceFilter, described, timeBound } from '../../../platform/http/parameters.ts';
import type { ParameterValues, Query } from '../../../platform/http/query.ts';

const figure = (description: string): JsonSchema => ({ type: ['number', 'null'], description });

const PROPERTIES = {
  observed_at: {
    ...TIME_SCHEMA,
    description: 'When it was measured; with `bucket`, when the bucket begins.',
  },
  kind: {
    type: 'string',
    'x-extensible-enum': READING_KINDS,
    description: 'What was measured; its unit is in the name. Tolerate kinds you do not know.',
  },
  tag_id: { ...nullableSchema(ID_SCHEMA), description: 'The tag that measured it. Null with `bucket`.' },
  value: figure('The value; `button` and `motion`: 1 or 0, or how often. Null with `bucket`.'),
  min: figure('The least value in the bucket. Null without `bucket`, as the next three are.'),
  mean: figure('The mean of the values in the bucket.'),
  max: figure('The greatest value in the bucket.'),
  count: { type: ['integer', 'null'], minimum: 1, description: 'How many values are in the bucket.' },
} as const satisfies Record<string, JsonSchema>;

/** Contract 4.2. */
export const READING_ITEM: JsonSchema = {
  title: 'ReadingItem',
  description: 'A value that a tag of an asset measured, or the values of a bucket of time.',
  type: 'object',
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  examples: [
    {
      ...{ observed_at: '2026-05-04T09:41:07.250Z', kind: 'temperature_c', tag_id: 31, value: 4.5 },
      ...{ min: null, mean: null, max: null, count: null },
    },
  ],
};

export const BUCKETS = { '1m': '1 minute', '1h': '1 hour', '1d': '1 day' } as const;

/** `from` and `to` are inclusive. */
export const READINGS = {
  parameters: {
    kind: described(anyOf(choiceFilter(READING_KINDS, undefined)), 'Only values of these kinds.', [
      'temperature_c',
    ]),
    from: described(timeBound, 'Values of this time or later.', '2026-05-04T08:00:00Z'),
    to: described(timeBound, 'Values of this time or earlier.', '2026-05-04T18:00:00+02:00'),
    bucket: described(
      choiceFilter(Object.keys(BUCKETS) as (keyof typeof BUCKETS)[], undefined),
      'One row for each kind and minute, hour or day (UTC) with values of any of the tags.',
    ),
    sort: sortBy(['observed_at'], [{ field: 'observed_at', isDescending: true }]),
    ...PAGING,
  },
} as const satisfies Query;

export type ReadingFilters = ParameterValues<(typeof READINGS)['parameters']>;
