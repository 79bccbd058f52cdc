import type { JsonSchema } from '../../../base/checks/fields.ts';
import { COUNT_SCHEMA, inData, listOf, objectOf } from '../serving/schemas.ts';

export const TREE: JsonSchema = inData(
  objectOf({
    position: COUNT_SCHEMA,
    locations: listOf({
      type: 'array',
      description: 'id, parent_id (or null), external_key, name, number of assets there itself',
      minItems: 5,
      maxItems: 5,
    }),
  }),
);
