import { ID_SCHEMA, type JsonSchema, TIME_SCHEMA, text } from '../../../base/checks/fields.ts';
import { mandatory, nullableSchema, optional } from '../../../base/checks/members.ts';
import { ROLES } from '../../../domain/administration/users/roles.ts';
import { jsonBody } from '../../../platform/http/body.ts';
import { objectOf, TEXT_OR_NULL, TEXT_SCHEMA } from '../serving/schemas.ts';

export const LINK: JsonSchema = objectOf({
  purpose: { type: 'string', enum: ['first', 'invite', 'reset', 'sign_in'] },
  organization: nullableSchema(objectOf({ id: ID_SCHEMA, name: TEXT_SCHEMA })),
  email: TEXT_OR_NULL,
  role: nullableSchema({ type: 'string', enum: ROLES }),
  expires_at: TIME_SCHEMA,
});

const token = mandatory(text(100));

export const lookBody = jsonBody({ token });

export const acceptBody = jsonBody({
  token,
  email: optional(text(254)),
  name: optional(text(255)),
  password: optional(text(1_024)),
  new_password: optional(text(1_024)),
});
