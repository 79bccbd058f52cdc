import {
  arrayOf,
  choice,
  externalKey,
  flag,
  ID_SCHEMA,
  integer,
  type JsonSchema,
  KEY_SCHEMA,
  TIME_SCHEMA,
  text,
} from '../../../base/checks/fields.ts';
import { mandatory, nullable, nullableSchema, optional } from '../../../base/checks/members.ts';
import { MOST_SETTLE_SECONDS } from '../../../domain/moves/settle-seconds.ts';
import { KEPT_ATTEMPTS } from '../../../domain/webhooks/attempts.ts';
import { EVENT_TYPES } from '../../../domain/webhooks/event-types.ts';
import { STATES } from '../../../domain/webhooks/stored-webhook.ts';
import { URL_MAX_LENGTH } from '../../../domain/webhooks/targets/target-url.ts';
import { jsonBody, mergePatchOf } from '../../../platform/http/body.ts';
import { idInPath } from '../../../platform/http/parameters.ts';

const POSITION_SCHEMA: JsonSchema = { type: 'integer', format: 'int64', minimum: 0 };

const position = integer({ min: 0, max: Number.MAX_SAFE_INTEGER }, POSITION_SCHEMA);

const SETTLE_SCHEMA: JsonSchema = { type: 'integer', minimum: 0, maximum: MOST_SETTLE_SECONDS };

const settleSeconds = integer({ min: 0, max: MOST_SETTLE_SECONDS }, SETTLE_SCHEMA);

const SHOWN = {
  id: ID_SCHEMA,
  name: { type: 'string', minLength: 1, maxLength: 255 },
  url: { type: 'string', maxLength: URL_MAX_LENGTH },
  types: nullableSchema({ type: 'array', items: { type: 'string', enum: EVENT_TYPES } }),
  location_external_key: nullableSchema(KEY_SCHEMA),
  settle_seconds: SETTLE_SCHEMA,
  state: { type: 'string', enum: STATES },
  state_reason: { type: ['string', 'null'], enum: ['gone', 'undeliverable', 'expired', null] },
  state_at: TIME_SCHEMA,
  created_at: TIME_SCHEMA,
};

const STATUS = nullableSchema({ type: 'integer' });
const TEXT = nullableSchema({ type: 'string' });

/** Without its secrets. */
export const WEBHOOK = objectOf({
  ...SHOWN,
  position: POSITION_SCHEMA,
  head: POSITION_SCHEMA,
  secrets_since: { type: 'array', items: TIME_SCHEMA },
  last_attempt: nullableSchema(objectOf({ at: TIME_SCHEMA, status: STATUS, error: TEXT })),
  next_attempt_at: nullableSchema(TIME_SCHEMA),
});

/** `secret` is shown this once. */
export const CREATED_WEBHOOK = objectOf({ ...SHOWN, secret: { type: 'string' } });

/** `secret` is null if none was made. */
export const CHANGED_WEBHOOK = objectOf({ ...SHOWN, secret: TEXT });

export const REPLAYED_WEBHOOK = objectOf({ ...SHOWN, after: POSITION_SCHEMA });

const ANSWERED = {
  event_id: { type: 'string' },
  status: STATUS,
  error: TEXT,
  milliseconds: { type: 'integer', minimum: 0 },
  answer: TEXT,
};

export const ATTEMPT = objectOf({
  id: { type: 'integer', format: 'int64', minimum: 1 },
  at: TIME_SCHEMA,
  position: nullableSchema(POSITION_SCHEMA),
  attempt: { type: 'integer', minimum: 1, maximum: KEPT_ATTEMPTS },
  ...ANSWERED,
});

export const TESTED_WEBHOOK = objectOf({ delivered: { type: 'boolean' }, ...ANSWERED });

function objectOf(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const types = arrayOf(choice(EVENT_TYPES), { min: 1, max: EVENT_TYPES.length });

const NEW_WEBHOOK = {
  name: optional(text(255)),
  url: mandatory(text(URL_MAX_LENGTH)),
  types: nullable(types),
  location_external_key: nullable(externalKey),
  settle_seconds: optional(settleSeconds),
  after: optional(position),
};

const WEBHOOK_PATCH = {
  name: optional(text(255)),
  url: optional(text(URL_MAX_LENGTH)),
  types: nullable(types),
  location_external_key: nullable(externalKey),
  settle_seconds: optional(settleSeconds),
  state: optional(choice(STATES)),
  rotate_secret: optional(flag),
  drop_old_secret: optional(flag),
};

export const newWebhookBody = jsonBody(NEW_WEBHOOK);
export const webhookPatchBody = mergePatchOf<object>()(WEBHOOK_PATCH);
export const replayBody = jsonBody({ after: mandatory(position) });

export const ONE_WEBHOOK = { webhook_id: idInPath };
