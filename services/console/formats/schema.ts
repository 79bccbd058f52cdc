import { flag, text } from '../../../base/checks/fields.ts';
import { mandatory, nullableSchema, optional } from '../../../base/checks/members.ts';
import { jsonBody, mergePatchOf } from '../../../platform/http/body.ts';
import {
  COUNT_SCHEMA,
  FLAG_SCHEMA,
  listOf,
  NUMBER_OR_NULL,
  OUTCOME_SCHEMA,
  objectOf,
  TAG_TYPE_SCHEMA,
  TEXT_OR_NULL,
  TEXT_SCHEMA,
} from '../serving/schemas.ts';

/** Characters. The longest built-in format has 3,000. */
const MOST_SOURCE = 100_000;
const MOST_PAYLOAD = 200_000;

export const FORMAT = objectOf({
  name: TEXT_SCHEMA,
  is_builtin: FLAG_SCHEMA,
  is_own: FLAG_SCHEMA,
  description: TEXT_SCHEMA,
  identities: listOf(TEXT_SCHEMA),
  readers: COUNT_SCHEMA,
  fault: TEXT_OR_NULL,
});

export const FORMAT_WHOLE = objectOf({ name: TEXT_SCHEMA, is_own: FLAG_SCHEMA, source: TEXT_SCHEMA });

export const STORED = objectOf({ name: TEXT_SCHEMA, readers: COUNT_SCHEMA });

/** The unusable strength or time of a message, as sent. */
const GIVEN = { type: ['number', 'string', 'null'] } as const;

/** By kind. */
const READINGS = { type: ['object', 'null'], additionalProperties: { type: ['number', 'string'] } } as const;

/** `line` and `column` count from 1, where the place is known. */
export const TRIED = objectOf({
  faults: listOf(
    objectOf({
      pointer: TEXT_SCHEMA,
      message: TEXT_SCHEMA,
      line: nullableSchema({ type: 'integer' }),
      column: nullableSchema({ type: 'integer' }),
    }),
  ),
  run: nullableSchema(
    objectOf({
      outcome: OUTCOME_SCHEMA,
      scans: listOf(
        objectOf({
          ...{ tag_type: TAG_TYPE_SCHEMA, value: TEXT_SCHEMA, antenna: { type: ['integer', 'string'] } },
          ...{ rssi: NUMBER_OR_NULL, observed_at: TEXT_OR_NULL, reader: TEXT_OR_NULL },
          ...{ rssi_unusable: GIVEN, time_unreadable: GIVEN, clock_unset: GIVEN },
          report_unknown: FLAG_SCHEMA,
          readings: READINGS,
          readings_unusable: READINGS,
        }),
      ),
      ignored: listOf(objectOf({ reason: TEXT_SCHEMA, warning: TEXT_OR_NULL, near_miss: TEXT_OR_NULL })),
      near_misses: COUNT_SCHEMA,
      rejected: listOf(
        objectOf({ item: nullableSchema({ type: 'integer' }), reason: TEXT_SCHEMA, excerpt: TEXT_OR_NULL }),
      ),
    }),
  ),
});

const source = text(MOST_SOURCE);

export const newFormatBody = jsonBody({ source: mandatory(source) });

export const formatPatchBody = mergePatchOf<object>()({ source: optional(source) });

export const tryBody = jsonBody({
  source: optional(source),
  format: optional(text(255)),
  topic: mandatory(text(65_535)),
  payload: mandatory(text(MOST_PAYLOAD)),
  is_base64: optional(flag),
});
