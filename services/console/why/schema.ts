import type { JsonSchema } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { timeBound } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { REFERENCE_OR_NULL } from '../serving/reference.ts';
import { FLAG_SCHEMA, listOf, objectOf, TEXT_OR_NULL, TEXT_SCHEMA } from '../serving/schemas.ts';

const NUMBER_OR_NULL: JsonSchema = { type: ['number', 'null'] };

const SCAN: JsonSchema = objectOf({
  by: { type: 'string', enum: ['reader', 'handheld'] },
  device: nullableSchema(objectOf({ id: ID_SCHEMA, name: TEXT_SCHEMA })),
  antenna: { type: ['integer', 'null'] },
  tag: objectOf({ tag_type: TEXT_SCHEMA, value: TEXT_SCHEMA }),
  rssi: NUMBER_OR_NULL,
  observed_at: TIME_SCHEMA,
  received_at: TIME_SCHEMA,
});

const SCAN_OR_NULL = nullableSchema(SCAN);

/** `stay` is null if there is none at that time: then `first_seen` says when the asset was first seen, null for never. */
export const WHY: JsonSchema = objectOf({
  first_seen: nullableSchema(TIME_SCHEMA),
  stay: nullableSchema(
    objectOf({ location: REFERENCE_OR_NULL, from: TIME_SCHEMA, to: nullableSchema(TIME_SCHEMA) }),
  ),
  decided_by: SCAN_OR_NULL,
  late_seconds: { type: ['integer', 'null'] },
  rule: TEXT_OR_NULL,
  rivals: {
    type: ['array', 'null'],
    items: objectOf({
      location: REFERENCE_OR_NULL,
      at: TIME_SCHEMA,
      scan: SCAN_OR_NULL,
      rssi: NUMBER_OR_NULL,
      lost_by_db: NUMBER_OR_NULL,
      tie_broken_by: TEXT_OR_NULL,
    }),
  },
  reads: {
    type: ['array', 'null'],
    items: objectOf({
      location: REFERENCE_OR_NULL,
      at: TIME_SCHEMA,
      rssi: NUMBER_OR_NULL,
      is_by_person: FLAG_SCHEMA,
    }),
  },
  said_before: listOf(objectOf({ location: REFERENCE_OR_NULL, until: TIME_SCHEMA })),
});

export const WHY_QUERY = { parameters: { at: timeBound } } as const satisfies Query;
