import type { JsonSchema } from '../../../base/checks/fields.ts';
import { accepted, invalidValue, refused } from '../../../base/checks/issues.ts';
import type { Parameter } from '../../../platform/http/parameters.ts';

/** The pattern of ids that were issued. Look-ups accept any; an impossible one is not found. */
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

export const ULID_SCHEMA: JsonSchema = { type: 'string', pattern: ULID.source };

export const ulidFilter: Parameter<string | undefined> = {
  schema: ULID_SCHEMA,
  isRepeatable: false,
  read: ([value], name) =>
    value === undefined || ULID.test(value)
      ? accepted(value)
      : refused(invalidValue(name, 'must be a ULID of 26 characters in upper case')),
};

export const ulidInPath = ulidFilter as Parameter<string>;
