import { type Instant, parseTimestamp, sentinelOf } from '../timestamps.ts';
import type { Field, JsonSchema } from './fields.ts';
import { accepted, invalidValue, refused } from './issues.ts';

/** Contract 2.7, in answers. */
export const TIME_SCHEMA: JsonSchema = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
};

const TIME_PATTERN = String.raw`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`;

export const GIVEN_TIME_SCHEMA: JsonSchema = { type: 'string', format: 'date-time', pattern: TIME_PATTERN };

/** Instants that programs send when they mean "not set" (contract 2.7). */
const SENTINEL_PATTERN = String.raw`^(0001|1970)-01-01[Tt]00:00:00(\.0{1,3}|\.000\d{1,6})?([Zz]|[+-]00:00)$`;

/** Any instant. Any other type than string is a wrong value, not a wrong type. */
export const instant: Field<Instant> = {
  schema: GIVEN_TIME_SCHEMA,
  mismatch: () => null,
  read: (value, name) => {
    const parsed = typeof value === 'string' ? parseTimestamp(value) : null;
    return parsed === null ? refused(invalidValue(name, 'must be an RFC 3339 timestamp')) : accepted(parsed);
  },
};

/** Contract 2.7. */
export const timestamp = exceptSentinels(
  (sentinel) => `must not be a default-value sentinel (${sentinel}); use JSON null to leave the field unset`,
);

export function exceptSentinels(message: (sentinel: string) => string): Field<Instant> {
  return {
    ...instant,
    schema: { ...GIVEN_TIME_SCHEMA, not: { type: 'string', pattern: SENTINEL_PATTERN } },
    read: (value, name, source) => {
      const given = instant.read(value, name, source);
      const sentinel = given.ok ? sentinelOf(given.value) : null;
      return sentinel === null ? given : refused(invalidValue(name, message(sentinel)));
    },
  };
}
