import { ID_SCHEMA, TIME_SCHEMA, text, timestamp } from '../../../base/checks/fields.ts';
import { mandatory, nullable, nullableSchema, optional, type Values } from '../../../base/checks/members.ts';
import { jsonBody, mergePatchOf } from '../../../platform/http/body.ts';
import { objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';

export const HANDHELD = objectOf({
  id: ID_SCHEMA,
  name: TEXT_SCHEMA,
  created_at: TIME_SCHEMA,
  expires_at: nullableSchema(TIME_SCHEMA),
  revoked_at: nullableSchema(TIME_SCHEMA),
  last_used_at: nullableSchema(TIME_SCHEMA),
  last_submission_at: nullableSchema(TIME_SCHEMA),
});

/** `token` and the address that holds it are shown this once. */
export const CREATED_HANDHELD = objectOf({
  id: ID_SCHEMA,
  name: TEXT_SCHEMA,
  token: TEXT_SCHEMA,
  sign_in_url: TEXT_SCHEMA,
});

const NEW_HANDHELD = { name: mandatory(text(255)), expires_at: nullable(timestamp) };

export type NewHandheld = Values<typeof NEW_HANDHELD>;

export const newHandheldBody = jsonBody(NEW_HANDHELD);

export const handheldPatchBody = mergePatchOf<object>()({ name: optional(text(255)) });
