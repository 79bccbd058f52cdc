import {
  arrayOf,
  choice,
  type JsonSchema,
  TIME_SCHEMA,
  text,
  timestamp,
} from '../../../base/checks/fields.ts';
import { mandatory, nullable, nullableSchema, optional, type Values } from '../../../base/checks/members.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { jsonBody } from '../../../platform/http/body.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { ULID_SCHEMA, ulidInPath } from '../serving/ulid-parameter.ts';

const SHOWN = {
  id: ULID_SCHEMA,
  name: { type: 'string', minLength: 1, maxLength: 255 },
  scopes: { type: 'array', items: { type: 'string' } },
  created_at: TIME_SCHEMA,
  expires_at: nullableSchema(TIME_SCHEMA),
};

export const API_KEY: JsonSchema = {
  type: 'object',
  properties: {
    ...SHOWN,
    revoked_at: nullableSchema(TIME_SCHEMA),
    last_used_at: nullableSchema(TIME_SCHEMA),
  },
  required: [...Object.keys(SHOWN), 'revoked_at', 'last_used_at'],
  additionalProperties: false,
};

/** `key` is the credential, shown this once. */
export const ISSUED_API_KEY: JsonSchema = {
  type: 'object',
  properties: { ...SHOWN, key: { type: 'string' } },
  required: [...Object.keys(SHOWN), 'key'],
  additionalProperties: false,
};

const NEW_API_KEY = {
  name: mandatory(text(255)),
  scopes: optional(arrayOf(choice(PUBLIC_SCOPES))),
  expires_at: nullable(timestamp),
};

export type NewApiKey = Values<typeof NEW_API_KEY>;

/** Internal scopes are given by the command line only: a key must not create one that can do more than the API. */
export const newApiKeyBody = jsonBody(NEW_API_KEY);

export const IN_ORGANIZATION = { id: idInPath };
export const ONE_KEY = { ...IN_ORGANIZATION, key_id: ulidInPath };
