import { type JsonSchema, KEY_SCHEMA } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { TooMuchWork } from '../../../base/errors.ts';
import { expensiveTurns } from '../../../base/expensive-turns.ts';
import { MICROS_PER_MILLISECOND } from '../../../base/instant.ts';
import { type Instant, toMicros } from '../../../base/timestamps.ts';
import type { TrialResult } from '../../../domain/alerts/trial/run-trial.ts';
import { trialOf, type WantedTrial } from '../../../domain/alerts/trial/trial-of.ts';
import { makeChange, unchanged } from '../../../domain/changes/make-change.ts';
import { QUEUE } from '../../../domain/master-data/expensive-queue.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { actorOf } from '../serving/actor.ts';
import { type ApiContext, route } from '../serving/context.ts';
import { changeOf } from './change-of.ts';
import { ADMINISTRATION, ONE } from './one-rule.ts';
import { ONE_RULE, storedTrialBody, trialBody } from './schema.ts';

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
const TRIAL = objectOf({
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

/** The organization's turn is left between two batches. */
const BATCH = 200;

/** Milliseconds after which a trial ends, with what it has found. */
const MOST_TIME = 20_000;

const BOUNDS = { alerts: 200, subjects: 100 };

const SUCCESS = found<TrialResult>(
  TRIAL,
  'What it would have raised. Not complete if that took too long: of the assets, or readers, that were looked at',
);

export const tryNew = route({
  method: 'POST',
  path: '/api/v1/rules/try',
  operationId: 'tryRule',
  summary: 'Say which alerts a rule would have raised, as if it had always been there',
  ...ADMINISTRATION,
  query: NO_QUERY,
  params: {},
  body: trialBody,
  success: SUCCESS,
  handle: ({ context, body: { kind, since, ...given }, requestId, signal }) =>
    tried(context, requestId, { of: { kind }, since: sinceOf(since), ...changeOf(given) }, signal()),
});

export const tryStored = route({
  method: 'POST',
  path: '/api/v1/rules/{rule_id}/try',
  operationId: 'tryStoredRule',
  summary: 'Say which alerts a rule would have raised, also with changes',
  ...ADMINISTRATION,
  query: NO_QUERY,
  params: ONE_RULE,
  find: ONE,
  body: storedTrialBody,
  success: SUCCESS,
  handle: ({ context, row, body: { since, ...given }, requestId, signal }) =>
    tried(context, requestId, { of: { id: row.id }, since: sinceOf(since), ...changeOf(given) }, signal()),
});

async function tried(
  context: ApiContext,
  requestId: string,
  wanted: Omit<WantedTrial, 'orgId'>,
  signal: AbortSignal,
): Promise<TrialResult> {
  const { db, ruleTrials } = context;
  const { orgId } = db;
  const now = Date.now() * MICROS_PER_MILLISECOND;
  const trial = await makeChange(db, actorOf(context, requestId), async (change) =>
    unchanged(await trialOf(change, now, { orgId, ...wanted })),
  );
  let deadline: number | null = null;
  const goesOn = async () => {
    await expensiveTurns.pause(orgId, 'list', QUEUE, signal);
    deadline ??= performance.now() + MOST_TIME;
    return performance.now() < deadline;
  };
  const options = { bounds: BOUNDS, batch: BATCH, goesOn };
  return ruleTrials.run(trial, options, signal).catch((error: unknown) => {
    throw error instanceof TooMuchWork ? invalid([invalidValue('since', TOO_MUCH)]) : error;
  });
}

const TOO_MUCH = 'leaves more evidence than can be looked at; try a later time';

function sinceOf(given: Instant | null | undefined): number | null {
  return given == null ? null : toMicros(given);
}
