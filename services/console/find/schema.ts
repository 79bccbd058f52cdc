import type { JsonSchema } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { searchText } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { REFERENCE, REFERENCE_OR_NULL } from '../serving/reference.ts';
import { COUNT_SCHEMA, listOf, objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';
import { STAY } from '../serving/stay.ts';

/** Of assets, and of places: who gets more than that types another letter. */
export const MOST_FOUND = 25;

/** Places of each asset. */
export const MOST_STAYS = 3;

const properties = (schema: JsonSchema) => schema['properties'] as Record<string, JsonSchema>;

export const FOUND: JsonSchema = objectOf({
  assets: listOf(
    objectOf({
      ...properties(REFERENCE),
      last_seen: nullableSchema(TIME_SCHEMA),
      since: nullableSchema(TIME_SCHEMA),
      location: REFERENCE_OR_NULL,
      tags: listOf(objectOf({ tag_type: TEXT_SCHEMA, value: TEXT_SCHEMA })),
      stays: listOf(STAY),
    }),
  ),
  asset_count: COUNT_SCHEMA,
  locations: listOf(
    objectOf({ ...properties(REFERENCE), parent: REFERENCE_OR_NULL, assets_here: COUNT_SCHEMA }),
  ),
  location_count: COUNT_SCHEMA,
});

export const FIND = { parameters: { q: searchText } } as const satisfies Query;
