import {
  decimal,
  externalKey,
  flag,
  ID_SCHEMA,
  integer as integerField,
  TIME_SCHEMA,
  text,
} from '../../../base/checks/fields.ts';
import { mandatory, nullable, nullableSchema, optional } from '../../../base/checks/members.ts';
import { READER_SORT, READER_STATES } from '../../../domain/administration/readers/reader-state.ts';
import { HEIGHT_M, OFFSET_DB } from '../../../domain/administration/readers/set-antenna.ts';
import { LONGEST_TOPIC } from '../../../domain/administration/readers/topic.ts';
import { LONGEST_ANTENNA } from '../../../domain/formats/mapping/acceptance.ts';
import { EXPECTED } from '../../../domain/presence/expectations.ts';
import { jsonBody, mergePatchOf } from '../../../platform/http/body.ts';
import { PAGING, sortBy } from '../../../platform/http/lists.ts';
import {
  anyOf,
  choiceFilter,
  integer,
  type Parameter,
  searchText,
} from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import {
  COUNT_SCHEMA,
  FLAG_SCHEMA,
  listOf,
  objectOf,
  TEXT_OR_NULL,
  TEXT_SCHEMA,
} from '../serving/schemas.ts';

const EXPECTATION_SCHEMA = { type: 'integer', minimum: EXPECTED.least, maximum: EXPECTED.most } as const;

/** `port` below 0 is the number of an antenna that a device names, or whose port is above 32767: `device_port`. */
const ANTENNA = {
  port: { type: 'integer' },
  name: TEXT_OR_NULL,
  device_port: nullableSchema({ type: 'integer' }),
  location_external_key: TEXT_OR_NULL,
  min_rssi: nullableSchema({ type: 'number' }),
  enabled: FLAG_SCHEMA,
  offset_db: { type: 'number' },
  height_m: { type: 'number' },
} as const;

const READER_FIELDS = {
  id: ID_SCHEMA,
  name: TEXT_SCHEMA,
  topic: TEXT_SCHEMA,
  format: TEXT_SCHEMA,
  mqtt_username: TEXT_SCHEMA,
  expect_seconds: nullableSchema(EXPECTATION_SCHEMA),
  state: { type: 'string', enum: READER_STATES },
  unheard_since: nullableSchema(TIME_SCHEMA),
  expected_seconds: nullableSchema({ type: 'integer' }),
  created_at: TIME_SCHEMA,
  last_message_at: nullableSchema(TIME_SCHEMA),
  last_used_at: nullableSchema(TIME_SCHEMA),
  connected_at: nullableSchema(TIME_SCHEMA),
  stretch: nullableSchema(objectOf({ since: TIME_SCHEMA, until: TIME_SCHEMA, messages: COUNT_SCHEMA })),
  antennas: listOf(objectOf({ ...ANTENNA, location_name: TEXT_OR_NULL })),
  counters: objectOf({
    ...{ messages: COUNT_SCHEMA, messages_rejected: COUNT_SCHEMA, reads: COUNT_SCHEMA },
    ...{ recorded: COUNT_SCHEMA, duplicates: COUNT_SCHEMA, unknown: COUNT_SCHEMA, unplaced: COUNT_SCHEMA },
    ...{ rejected: COUNT_SCHEMA, ignored: COUNT_SCHEMA, throttled_ms: COUNT_SCHEMA },
  }),
  clock: nullableSchema(
    objectOf({
      behind_seconds: { type: 'number' },
      spread_seconds: { type: 'number' },
      minutes: COUNT_SCHEMA,
      ...{ wrong: FLAG_SCHEMA, doubtful: FLAG_SCHEMA },
    }),
  ),
  /** Named by messages and not registered; the name is empty where a message names none of several. */
  unplaced_antennas: listOf(objectOf({ name: TEXT_SCHEMA, reads: COUNT_SCHEMA, last_read_at: TIME_SCHEMA })),
  flaws: objectOf({
    ...{ rssi_unusable: COUNT_SCHEMA, rssi_example: TEXT_OR_NULL },
    ...{ time_unreadable: COUNT_SCHEMA, time_example: TEXT_OR_NULL },
    ...{ clock_unset: COUNT_SCHEMA, clock_is_unset: FLAG_SCHEMA },
    ...{ near_misses: COUNT_SCHEMA, pushes_refused: COUNT_SCHEMA },
    ...{ readings_unusable: COUNT_SCHEMA, readings_example: TEXT_OR_NULL },
  }),
} as const;

export const READER = objectOf(READER_FIELDS);

/**
 * `sign_in_faults` of the last day: `wrong_credentials` and `mqtt_5` (which the embedded broker does not speak) were
 * refused; `shared_login`: two devices end each other's connection.
 */
export const ONE_READER = objectOf({
  ...READER_FIELDS,
  mqtt_url: TEXT_OR_NULL,
  push_url: TEXT_OR_NULL,
  sign_in_faults: listOf(
    objectOf({
      fault: { type: 'string', enum: ['wrong_credentials', 'mqtt_5', 'shared_login'] },
      in_hour: COUNT_SCHEMA,
      in_day: COUNT_SCHEMA,
      last_at: TIME_SCHEMA,
    }),
  ),
});

export const READERS = {
  parameters: {
    q: searchText,
    state: anyOf(choiceFilter(READER_STATES, undefined)),
    sort: sortBy(READER_SORT, [{ field: 'name', isDescending: false }]),
    ...PAGING,
  },
} as const satisfies Query;

export const SPANS_QUERY = {
  parameters: { days: integer({ min: 1, max: 31 }, 7) as Parameter<number> },
} as const satisfies Query;

export const SPANS = objectOf({
  from: TIME_SCHEMA,
  to: TIME_SCHEMA,
  spans: listOf(
    objectOf({
      state: { type: 'string', enum: ['up', 'silent', 'disconnected'] },
      from: TIME_SCHEMA,
      to: nullableSchema(TIME_SCHEMA),
      learned_at: nullableSchema(TIME_SCHEMA),
      messages: nullableSchema(COUNT_SCHEMA),
    }),
  ),
});

/**
 * `mqtt_password` is shown only now. `subscribed` is false if ingestion has not yet subscribed to the topic at a broker
 * of your own: earlier messages are lost.
 */
export const CREATED_READER = objectOf({
  id: ID_SCHEMA,
  name: TEXT_SCHEMA,
  topic: TEXT_SCHEMA,
  mqtt_username: TEXT_SCHEMA,
  mqtt_password: TEXT_SCHEMA,
  mqtt_url: TEXT_OR_NULL,
  push_url: TEXT_OR_NULL,
  subscribed: FLAG_SCHEMA,
});

export const CHANGED_READER = objectOf({
  id: ID_SCHEMA,
  mqtt_password: TEXT_OR_NULL,
  mqtt_url: TEXT_OR_NULL,
  push_url: TEXT_OR_NULL,
  subscribed: FLAG_SCHEMA,
});

export const SET_ANTENNA = objectOf(ANTENNA);

const expectation = nullable(integerField({ min: EXPECTED.least, max: EXPECTED.most }, EXPECTATION_SCHEMA));

export const newReaderBody = jsonBody({
  name: mandatory(text(255)),
  topic: mandatory(text(LONGEST_TOPIC)),
  format: mandatory(text(255)),
  expect_seconds: expectation,
});

export const readerPatchBody = mergePatchOf<object>()({
  name: optional(text(255)),
  topic: optional(text(LONGEST_TOPIC)),
  format: optional(text(255)),
  expect_seconds: expectation,
  new_password: optional(flag),
});

export const antennaPatchBody = mergePatchOf<object>()({
  name: optional(text(LONGEST_ANTENNA)),
  location_external_key: nullable(externalKey),
  min_rssi: nullable(decimal({ min: -149, max: -1 })),
  enabled: optional(flag),
  offset_db: optional(decimal(OFFSET_DB)),
  height_m: optional(decimal(HEIGHT_M)),
});

/** `antenna`: a port by its digits, or a name, as messages give it. */
export const newAntennaBody = jsonBody({
  antenna: mandatory(text(LONGEST_ANTENNA)),
  location_external_key: nullable(externalKey),
});
