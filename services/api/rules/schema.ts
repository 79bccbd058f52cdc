import {
  arrayOf,
  choice,
  decimal,
  externalKey,
  ID_SCHEMA,
  ids,
  integer,
  type JsonSchema,
  KEY_SCHEMA,
  TIME_SCHEMA,
  text,
  timestamp,
} from '../../../base/checks/fields.ts';
import { accepted } from '../../../base/checks/issues.ts';
import {
  mandatory,
  nullable,
  nullableSchema,
  objectField,
  optional,
  type Values,
} from '../../../base/checks/members.ts';
import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { KINDS } from '../../../domain/alerts/rules/rule.ts';
import { LIMITS, MOST_AFTER } from '../../../domain/alerts/rules/settings.ts';
import { LASTING_KINDS } from '../../../domain/tracking/reading-bound.ts';
import { jsonBody, mergePatchOf } from '../../../platform/http/body.ts';
import { ULID_SCHEMA, ulidInPath } from '../serving/ulid-parameter.ts';

const MOST_SECONDS = MOST_AFTER / MICROS_PER_SECOND;
const SECONDS_SCHEMA: JsonSchema = { type: 'integer', minimum: 0, maximum: MOST_SECONDS };
const NUMBER_OR_NULL: JsonSchema = { type: ['number', 'null'] };
const TEXT_SCHEMA: JsonSchema = { type: 'string' };

const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

const TERM_SCHEMA = objectOf({ path: listOf(TEXT_SCHEMA), value: TEXT_SCHEMA });

const SHOWN = {
  id: ULID_SCHEMA,
  kind: { type: 'string', enum: KINDS },
  name: { type: 'string', minLength: 1, maxLength: LIMITS.textLength },
  after_seconds: nullableSchema(SECONDS_SCHEMA),
  then_seconds: nullableSchema(SECONDS_SCHEMA),
  location_external_key: nullableSchema(KEY_SCHEMA),
  reading: { type: ['string', 'null'], enum: [...LASTING_KINDS, null] },
  above: NUMBER_OR_NULL,
  below: NUMBER_OR_NULL,
  hysteresis: NUMBER_OR_NULL,
  hours: nullableSchema(TEXT_SCHEMA),
  time_zone: nullableSchema(TEXT_SCHEMA),
  asset_count: nullableSchema({ type: 'integer', minimum: 1, maximum: LIMITS.assets }),
  within_location_external_key: nullableSchema(KEY_SCHEMA),
  metadata: listOf(TERM_SCHEMA),
  reader_ids: nullableSchema(listOf(ID_SCHEMA)),
  mail_to: nullableSchema(listOf(TEXT_SCHEMA)),
  mail_count: { type: 'integer', minimum: 0, maximum: LIMITS.recipients },
  valid_from: TIME_SCHEMA,
  ends_at: nullableSchema(TIME_SCHEMA),
  location_deleted_at: nullableSchema(TIME_SCHEMA),
  created_at: TIME_SCHEMA,
  version: { type: 'integer', minimum: 1 },
};

/** In lists: the number of named assets, not the assets. */
export const LISTED_RULE = objectOf(SHOWN);

export const RULE = objectOf({ ...SHOWN, asset_external_keys: nullableSchema(listOf(KEY_SCHEMA)) });

function objectOf(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const seconds = integer({ min: 0, max: MOST_SECONDS }, SECONDS_SCHEMA);

/** Each kind of reading has its own, narrower range. */
const number = decimal({ min: -1e9, max: 1e9 });

/** The largest number of the column. */
const MOST_VERSIONS = 2_147_483_647;

const term = objectField(
  {
    path: mandatory(arrayOf(text(LIMITS.textLength), { min: 1, max: LIMITS.pathLength })),
    value: mandatory(text(LIMITS.textLength)),
  },
  (values) => accepted(values),
);

const CHANGEABLE = {
  name: optional(text(LIMITS.textLength)),
  after_seconds: nullable(seconds),
  then_seconds: nullable(seconds),
  location_external_key: nullable(externalKey),
  reading: nullable(choice(LASTING_KINDS)),
  above: nullable(number),
  below: nullable(number),
  hysteresis: nullable(number),
  hours: nullable(text(LIMITS.hoursLength)),
  time_zone: nullable(text(LIMITS.textLength)),
  asset_external_keys: nullable(arrayOf(externalKey, { min: 1, max: LIMITS.assets })),
  within_location_external_key: nullable(externalKey),
  metadata: nullable(arrayOf(term, { max: LIMITS.terms })),
  reader_ids: nullable(ids(LIMITS.readers, 1)),
  mail_to: nullable(arrayOf(text(LIMITS.textLength), { max: LIMITS.recipients })),
};

const DATED = { ...CHANGEABLE, valid_from: optional(timestamp) };

export type RulePatch = Values<typeof CHANGEABLE>;

const TRIED = { ...CHANGEABLE, since: nullable(timestamp) };

export const trialBody = jsonBody({ kind: mandatory(choice(KINDS)), ...TRIED });
export const storedTrialBody = jsonBody(TRIED);

export const newRuleBody = jsonBody({ kind: mandatory(choice(KINDS)), ...DATED });
export const rulePatchBody = mergePatchOf<object>()({
  ...DATED,
  added_asset_external_keys: optional(arrayOf(externalKey, { min: 1, max: LIMITS.assets })),
  ends_at: nullable(timestamp),
  version: optional(
    integer({ min: 1, max: MOST_VERSIONS }, { type: 'integer', minimum: 1, maximum: MOST_VERSIONS }),
  ),
});

export const ONE_RULE = { rule_id: ulidInPath };
