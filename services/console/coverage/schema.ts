import type { JsonSchema } from '../../../base/checks/fields.ts';
import { ID_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { FLAG_SCHEMA, listOf, objectOf } from '../serving/schemas.ts';

/** Locations that are looked at: those where the asset was longest. A picture has a lane for ten. */
export const MOST_LOCATIONS = 20;

/** The longest are told; more than a picture can show. */
export const MOST_GAPS = 500;

export const COVERAGE: JsonSchema = objectOf({
  from: TIME_SCHEMA,
  gaps: listOf(objectOf({ location_id: ID_SCHEMA, from: TIME_SCHEMA, to: TIME_SCHEMA })),
  is_cut: FLAG_SCHEMA,
});
