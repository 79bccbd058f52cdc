import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { TAG_TYPES } from '../../../domain/tracking/tag-type.ts';
import type { EventStream } from '../../../platform/http/event-stream.ts';
import type { Success } from '../../../platform/http/success.ts';

export const TEXT_SCHEMA: JsonSchema = { type: 'string' };
export const TEXT_OR_NULL: JsonSchema = nullableSchema(TEXT_SCHEMA);
export const NUMBER_OR_NULL: JsonSchema = { type: ['number', 'null'] };
export const FLAG_SCHEMA: JsonSchema = { type: 'boolean' };
export const COUNT_SCHEMA: JsonSchema = { type: 'integer', minimum: 0 };

/** The result of a format for a message. */
export const OUTCOME_SCHEMA: JsonSchema = { type: 'string', enum: ['items', 'ignored', 'rejected'] };
export const TAG_TYPE_SCHEMA: JsonSchema = { type: 'string', enum: TAG_TYPES };

/** Every member is always there. */
export function objectOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** Server-sent events, by name what the data of each is. */
export function eventsOf(events: Readonly<Record<string, JsonSchema>>): Success<EventStream> {
  const schema = { type: 'string', 'x-events': objectOf(events) };
  return {
    ...{ status: 200, description: 'Events, until either side ends it', schema, headers: {} },
    present: (body) => ({ body }),
  };
}

/** `{ data }` of {@link answered}. */
export function inData(schema: JsonSchema): JsonSchema {
  return objectOf({ data: schema });
}

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

export const STAY: JsonSchema = objectOf({
  location: REFERENCE,
  arrived_at: TIME_SCHEMA,
  left_at: nullableSchema(TIME_SCHEMA),
});

/** For a row that may have none. */
export function referenceOf(id: number | null, key: string | null, name: string | null): Reference | null {
  return id === null || key === null || name === null ? null : { id, external_key: key, name };
}
