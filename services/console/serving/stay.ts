import type { JsonSchema } from '../../../base/checks/fields.ts';
import { TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { REFERENCE } from './reference.ts';
import { objectOf } from './schemas.ts';

export const STAY: JsonSchema = objectOf({
  location: REFERENCE,
  arrived_at: TIME_SCHEMA,
  left_at: nullableSchema(TIME_SCHEMA),
});
