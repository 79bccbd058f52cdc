import type { JsonSchema } from '../../../base/checks/fields.ts';
import { TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { PAGING, sortBy } from '../../../platform/http/lists.ts';
import { booleanFilter, described } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { KNOWN_AT } from '../past/known-at-parameter.ts';
import { ASSETS, AT, EXCLUSIVE, PLACES } from '../past/parameters.ts';
import { PAST_IDS, PAST_IDS_EXAMPLE } from './past-schema.ts';

/** Contract 2.9. */
export const POSITION_AT: JsonSchema = {
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
