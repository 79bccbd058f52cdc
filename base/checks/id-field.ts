import type { Field, JsonSchema } from './fields.ts';
import { integer, integers } from './integer-field.ts';

/** Contract 2.1. */
export const MAX_ID = 2_147_483_647;

export const ID_SCHEMA: JsonSchema = { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_ID };

const RANGE = { min: 1, max: MAX_ID };

export const id = integer(RANGE, ID_SCHEMA);

/** Up to `max` ids, and at least `min`. */
export function ids(max: number, min = 0): Field<number[]> {
  return integers(RANGE, ID_SCHEMA, { min, max });
}
