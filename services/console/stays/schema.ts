import type { JsonSchema } from '../../../base/checks/fields.ts';
import { TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { timeBound } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { FLAG_SCHEMA, listOf, objectOf } from '../serving/schemas.ts';
import { STAY } from '../serving/stay.ts';

/** More than a picture can show. */
export const MOST_STAYS = 2_000;

export const STAYS: JsonSchema = objectOf({
  first_seen: nullableSchema(TIME_SCHEMA),
  last_seen: nullableSchema(TIME_SCHEMA),
  stays: listOf(STAY),
  is_cut: FLAG_SCHEMA,
});

export const STAYS_QUERY = {
  parameters: { from: timeBound, to: timeBound },
} as const satisfies Query;
