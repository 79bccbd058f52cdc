import { type JsonSchema, KEY_SCHEMA } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };

const SUBJECT = {
  asset_external_key: nullableSchema(KEY_SCHEMA),
  reader_id: nullableSchema(ID_SCHEMA),
  reader_name: nullableSchema({ type: 'string' }),
};

const ALERT = objectOf({
  ...SUBJECT,
  location_external_key: nullableSchema(KEY_SCHEMA),
  opened_at: TIME_SCHEMA,
  is_older: { type: 'boolean' },
  closed_at: nullableSchema(TIME_SCHEMA),
  level: { type: ['string', 'null'], enum: ['warning', 'alarm', null] },
  alarm_at: nullableSchema(TIME_SCHEMA),
  seconds: COUNT,
});

/** What a rule would have raised. */
export const TRIAL = objectOf({
  since: TIME_SCHEMA,
  until: TIME_SCHEMA,
  looked_at: COUNT,
  looked_at_of: COUNT,
  is_complete: { type: 'boolean' },
  alert_count: COUNT,
  subject_count: COUNT,
  longest: nullableSchema(ALERT),
  subjects: {
    type: 'array',
    items: objectOf({ ...SUBJECT, alert_count: COUNT, longest_seconds: COUNT, total_seconds: COUNT }),
  },
  alerts: { type: 'array', items: ALERT },
  alerts_left_out: COUNT,
});

function objectOf(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
