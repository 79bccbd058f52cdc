import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA } from '../../shared/http/fields.ts';
import { PAGING, sortBy } from '../../shared/http/lists.ts';
import { timeBound } from '../../shared/http/parameters.ts';
import type { Query, Read } from '../../shared/http/query.ts';

/** A transition on the wire (interface section 2.6). */
export const HISTORY_ITEM: JsonSchema = {
  type: 'object',
  properties: {
    event_observed_at: { type: 'string', format: 'date-time' },
    location_id: ID_SCHEMA,
    location_external_key: KEY_SCHEMA,
    duration_seconds: { type: ['integer', 'null'], minimum: 0 },
  },
  required: ['event_observed_at', 'location_id', 'location_external_key', 'duration_seconds'],
  additionalProperties: false,
};

/** The parameters of a history; `from` and `to` are inclusive. */
export const HISTORY = {
  parameters: {
    from: timeBound,
    to: timeBound,
    sort: sortBy(['event_observed_at'], [{ field: 'event_observed_at', isDescending: true }]),
    ...PAGING,
  },
} as const satisfies Query;

export type HistoryFilters = Read<(typeof HISTORY)['parameters']>;
