import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { COUNT_SCHEMA, FLAG_SCHEMA, objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';

/** `below`: seconds; null for all that are longer. */
export const DWELL = objectOf({
  days: COUNT_SCHEMA,
  looked_back_to: nullableSchema(TIME_SCHEMA),
  stays: COUNT_SCHEMA,
  median_seconds: nullableSchema(COUNT_SCHEMA),
  bars: {
    type: 'array',
    items: objectOf({ below: nullableSchema(COUNT_SCHEMA), stays: COUNT_SCHEMA }),
  },
});

export const ANTENNA_HERE = objectOf({
  port: COUNT_SCHEMA,
  enabled: FLAG_SCHEMA,
  min_rssi: nullableSchema({ type: 'number' }),
  reader: objectOf({ id: ID_SCHEMA, name: TEXT_SCHEMA }),
  last_message_at: nullableSchema(TIME_SCHEMA),
});

export const SWEEP = objectOf({
  id: TEXT_SCHEMA,
  ended_at: TIME_SCHEMA,
  handheld: TEXT_SCHEMA,
  expected: COUNT_SCHEMA,
  found: COUNT_SCHEMA,
  moved_here: COUNT_SCHEMA,
  missing: COUNT_SCHEMA,
  unknown: COUNT_SCHEMA,
});
