import { choice, flag, ID_SCHEMA, type JsonSchema, TIME_SCHEMA, text } from '../../../base/checks/fields.ts';
import { mandatory, nullableSchema, optional } from '../../../base/checks/members.ts';
import { ROLES } from '../../../domain/administration/users/roles.ts';
import { jsonBody, mergePatchOf } from '../../../platform/http/body.ts';
import { FLAG_SCHEMA, objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';

const ROLE_SCHEMA: JsonSchema = { type: 'string', enum: ROLES };

export const USER = objectOf({
  id: ID_SCHEMA,
  email: TEXT_SCHEMA,
  name: TEXT_SCHEMA,
  role: ROLE_SCHEMA,
  is_disabled: FLAG_SCHEMA,
  has_password: FLAG_SCHEMA,
  created_at: TIME_SCHEMA,
  last_used_at: nullableSchema(TIME_SCHEMA),
});

const INVITED = { id: ID_SCHEMA, email: TEXT_SCHEMA, role: ROLE_SCHEMA, expires_at: TIME_SCHEMA };

export const INVITATION = objectOf({ ...INVITED, created_at: TIME_SCHEMA });

/** `url` is shown this once. */
export const MADE_INVITATION = objectOf({ ...INVITED, url: TEXT_SCHEMA });

export const RESET_LINK = objectOf({ id: ID_SCHEMA, url: TEXT_SCHEMA, expires_at: TIME_SCHEMA });

export const userPatchBody = mergePatchOf<object>()({
  role: optional(choice(ROLES)),
  is_disabled: optional(flag),
});

export const invitationBody = jsonBody({ email: mandatory(text(254)), role: mandatory(choice(ROLES)) });
