import { ID_SCHEMA, type JsonSchema, TIME_SCHEMA, text } from '../../../base/checks/fields.ts';
import { mandatory } from '../../../base/checks/members.ts';
import { ROLES } from '../../../domain/administration/users/roles.ts';
import { jsonBody } from '../../../platform/http/body.ts';
import { objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';

export const SESSION: JsonSchema = objectOf({
  user: objectOf({ id: ID_SCHEMA, email: TEXT_SCHEMA, name: TEXT_SCHEMA, has_password: { type: 'boolean' } }),
  session_id: ID_SCHEMA,
  idle_seconds: { type: 'integer' },
  memberships: {
    type: 'array',
    items: objectOf({
      organization: objectOf({ id: ID_SCHEMA, name: TEXT_SCHEMA }),
      role: { type: 'string', enum: ROLES },
      scopes: { type: 'array', items: TEXT_SCHEMA },
    }),
  },
});

export const LISTED_SESSION: JsonSchema = objectOf({
  id: ID_SCHEMA,
  is_this: { type: 'boolean' },
  began_at: TIME_SCHEMA,
  used_at: TIME_SCHEMA,
  ends_at: TIME_SCHEMA,
  address: TEXT_SCHEMA,
  user_agent: TEXT_SCHEMA,
});

export const signInBody = jsonBody({ email: mandatory(text(254)), password: mandatory(text(1_024)) });

export const passwordBody = jsonBody({
  current_password: mandatory(text(1_024)),
  password: mandatory(text(1_024)),
});
