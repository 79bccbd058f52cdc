import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { objectOf, TEXT_SCHEMA } from './schemas.ts';

/** An asset or a location, as screens name it. */
export interface Reference {
  id: number;
  external_key: string;
  name: string;
}

export const REFERENCE: JsonSchema = objectOf({
  id: ID_SCHEMA,
  external_key: KEY_SCHEMA,
  name: TEXT_SCHEMA,
});

export const REFERENCE_OR_NULL: JsonSchema = nullableSchema(REFERENCE);

/** For a row that may have none. */
export function referenceOf(id: number | null, key: string | null, name: string | null): Reference | null {
  return id === null || key === null || name === null ? null : { id, external_key: key, name };
}

export const STAY: JsonSchema = objectOf({
  location: REFERENCE,
  arrived_at: TIME_SCHEMA,
  left_at: nullableSchema(TIME_SCHEMA),
});
