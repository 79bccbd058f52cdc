import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { PAGING, sortBy } from '../../../platform/http/lists.ts';
import { described, timeBound } from '../../../platform/http/parameters.ts';
import type { ParameterValues, Query } from '../../../platform/http/query.ts';
import { KNOWN_AT } from '../past/parameters.ts';

/** The pattern of `rowKey`. */
const ROW_SCHEMA: JsonSchema = {
  type: 'string',
  minLength: 1,
  description:
    "The key of this row among the asset's, also in events of the feed. Opaque; as text it sorts by time.",
};

/** Contract 2.6. */
export const HISTORY_ITEM: JsonSchema = {
  title: 'AssetHistoryItem',
  description: 'One move of an asset: when it was first seen at another location than before.',
  type: 'object',
  properties: {
    event_observed_at: { ...TIME_SCHEMA, description: 'When it was seen there.' },
    location_id: { ...ID_SCHEMA, description: 'Where it was seen.' },
    location_external_key: {
      ...KEY_SCHEMA,
      description: 'The current external key of that location, also if that is deleted by now.',
    },
    duration_seconds: {
      type: ['integer', 'null'],
      minimum: 0,
      description:
        'How long it had stayed at the previous location, in whole seconds. Null on the earliest row of the history.',
    },
    row: ROW_SCHEMA,
  },
  required: ['event_observed_at', 'location_id', 'location_external_key', 'duration_seconds', 'row'],
  examples: [
    {
      event_observed_at: '2026-05-04T09:41:07.250Z',
      location_id: 4,
      location_external_key: 'DOCK-1',
      duration_seconds: 5467,
      row: '1777887667250000',
    },
  ],
};

/** `from` and `to` are inclusive. */
export const HISTORY = {
  parameters: {
    from: described(timeBound, 'Moves at this time or later.', '2026-05-04T08:00:00Z'),
    to: described(timeBound, 'Moves at this time or earlier.', '2026-05-04T18:00:00+02:00'),
    ...KNOWN_AT,
    sort: sortBy(['event_observed_at'], [{ field: 'event_observed_at', isDescending: true }]),
    ...PAGING,
  },
} as const satisfies Query;

export type HistoryFilters = ParameterValues<(typeof HISTORY)['parameters']>;
