import type { JsonSchema } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';

export const TEXT_SCHEMA: JsonSchema = { type: 'string' };
export const TEXT_OR_NULL: JsonSchema = nullableSchema(TEXT_SCHEMA);
export const FLAG_SCHEMA: JsonSchema = { type: 'boolean' };
export const COUNT_SCHEMA: JsonSchema = { type: 'integer', minimum: 0 };

/** Every member is always there. */
export function objectOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** `{ data }` of {@link answered}. */
export function inData(schema: JsonSchema): JsonSchema {
  return objectOf({ data: schema });
}
