import { ID_SCHEMA, type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { STATES } from '../../../domain/presence/coverage/limits.ts';
import { PAGING } from '../../../platform/http/lists.ts';
import type { Query } from '../../../platform/http/query.ts';
import {
  COUNT_SCHEMA,
  FLAG_SCHEMA,
  listOf,
  objectOf,
  REFERENCE,
  REFERENCE_OR_NULL,
} from '../serving/schemas.ts';

/** Events of the feed to search, so that any request costs at most 8 ms of PostgreSQL. */
export const FEED_LOOKED_THROUGH = 20_000;

export const MOST_PASSING = 100;

export const PRESENT: JsonSchema = objectOf({
  ...(REFERENCE['properties'] as Record<string, JsonSchema>),
  since: nullableSchema(TIME_SCHEMA),
  last_seen: nullableSchema(TIME_SCHEMA),
});

export const PASSING: JsonSchema = objectOf({
  since: nullableSchema(TIME_SCHEMA),
  moves: listOf(
    objectOf({
      position: COUNT_SCHEMA,
      at: TIME_SCHEMA,
      asset: REFERENCE,
      is_arrival: FLAG_SCHEMA,
      other: REFERENCE_OR_NULL,
    }),
  ),
});

export const COUNTS: JsonSchema = objectOf({
  counts: nullableSchema(objectOf(Object.fromEntries(STATES.map((state) => [state, COUNT_SCHEMA])))),
  missing_from: listOf({
    ...{ type: 'array', description: 'location_id, number of assets missing from it' },
    ...{ prefixItems: [ID_SCHEMA, COUNT_SCHEMA], minItems: 2, maxItems: 2 },
  }),
  not_counted: { type: ['string', 'null'], enum: ['assets', 'evidence', null] },
  most_assets: COUNT_SCHEMA,
});

export const PRESENT_QUERY = { parameters: PAGING } as const satisfies Query;
