import type { JsonSchema } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { MENDS } from '../../../domain/health/finding.ts';
import { COUNT_SCHEMA, listOf, objectOf, TEXT_OR_NULL, TEXT_SCHEMA } from '../serving/schemas.ts';

const FINDING: JsonSchema = objectOf({
  check: TEXT_SCHEMA,
  status: { type: 'string', enum: ['ok', 'warning', 'fault'] },
  message: TEXT_OR_NULL,
  remedy: TEXT_OR_NULL,
  mend: nullableSchema(objectOf({ what: { type: 'string', enum: MENDS }, id: nullableSchema(ID_SCHEMA) })),
});

export const HEALTH = objectOf({
  checked_at: TIME_SCHEMA,
  organization: listOf(FINDING),
  installation: listOf(FINDING),
  retention: objectOf({
    scan_days: COUNT_SCHEMA,
    move_days: nullableSchema(COUNT_SCHEMA),
    lateness_days: COUNT_SCHEMA,
  }),
});
