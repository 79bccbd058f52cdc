import type { Field } from '../../../base/checks/fields.ts';
import { accepted, invalidValue, refused } from '../../../base/checks/issues.ts';

/** Canonical ULIDs: upper case, and within range. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const ULID_SCHEMA = { type: 'string', pattern: ULID.source } as const;

export function ulidField(description: string): Field<string> {
  return {
    schema: { ...ULID_SCHEMA, description },
    mismatch: (value) => (typeof value === 'string' ? null : ''),
    read: (value, name) =>
      ULID.test(value as string)
        ? accepted(value as string)
        : refused(invalidValue(name, 'must be a ULID in upper case')),
  };
}
