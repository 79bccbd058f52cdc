import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { TooMuchWork } from '../../../base/errors.ts';
import { expensiveTurns, QUEUE } from '../../../base/expensive-turns.ts';
import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { type Instant, toMicros } from '../../../base/timestamps.ts';
import { changeRule, endRule } from '../../../domain/alerts/rules/change-rule.ts';
import { addRule } from '../../../domain/alerts/rules/create-rule.ts';
import type { RuleChange } from '../../../domain/alerts/rules/rule-change.ts';
import { shownRule, shownRules } from '../../../domain/alerts/rules/rule-fields.ts';
import { countRules, findRule, listRules } from '../../../domain/alerts/rules/stored-rules.ts';
import type { TrialResult } from '../../../domain/alerts/trial/run-trial.ts';
import { trialOf, type WantedTrial } from '../../../domain/alerts/trial/trial-of.ts';
import { makeChange, unchanged } from '../../../domain/changes/make-change.ts';
import { listBody, PAGING } from '../../../platform/http/lists.ts';
import { created, found, listed, noContent } from '../../../platform/http/success.ts';
import { type ApiContext, actorOf, route } from '../serving/context.ts';
import { seenBy } from './addresses.ts';
import {
  LISTED_RULE,
  newRuleBody,
  ONE_RULE,
  RULE,
  type RulePatch,
  rulePatchBody,
  storedTrialBody,
  trialBody,
} from './schema.ts';

const ADMINISTRATION = { scope: 'rules:admin', isInternal: true } as const;

const ONE = {
  missing: 'Rule not found',
  row: ({ context: { db }, params }: { context: ApiContext; params: { rule_id: string } }) =>
    findRule(db, { orgId: db.orgId, id: params.rule_id }),
};

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

/** The alerts that a rule would have raised. */
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

/** Milliseconds after which a trial ends with its results so far. */
const MOST_TIME = 20_000;

const BOUNDS = { alerts: 200, subjects: 100 };

const SUCCESS = found<TrialResult>(
  TRIAL,
  'What it would have raised. Not complete if that took too long: of the assets, or readers, that were looked at',
);

const tryNew = route({
  method: 'POST',
  path: '/api/v1/rules/try',
  operationId: 'tryRule',
  summary: 'Say which alerts a rule would have raised, as if it had always been there',
  ...ADMINISTRATION,
  body: trialBody,
  success: SUCCESS,
  handle: ({ context, body: { kind, since, ...given }, requestId, signal }) =>
    tried(context, requestId, { of: { kind }, since: sinceOf(since), ...changeOf(given) }, signal()),
});

const tryStored = route({
  method: 'POST',
  path: '/api/v1/rules/{rule_id}/try',
  operationId: 'tryStoredRule',
  summary: 'Say which alerts a rule would have raised, also with changes',
  ...ADMINISTRATION,
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

const create = route({
  method: 'POST',
  path: '/api/v1/rules',
  operationId: 'createRule',
  summary: 'Have an alert raised when something is not as it should be',
  ...ADMINISTRATION,
  body: newRuleBody,
  success: created(RULE, 'The rule'),
  problems: { conflict: 'The maximum of rules is reached' },
  handle: async ({ context, body, requestId }) => {
    const { db } = context;
    const { kind, valid_from: validFrom, ...given } = body;
    const wanted = { orgId: db.orgId, kind, validFrom: instantOf(validFrom), ...changeOf(given) };
    const rule = await makeChange(db, actorOf(context, requestId), (change) =>
      addRule(change, now(), wanted),
    );
    return shownRule(db, rule);
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/rules',
  operationId: 'listRules',
  summary: 'List the rules, oldest first, without the assets that they name',
  ...ADMINISTRATION,
  query: { parameters: PAGING },
  success: listed(LISTED_RULE, 'A page of rules'),
  handle: async ({ context, query }) => {
    const { db } = context;
    const rows = await shownRules(db, db.orgId, await listRules(db, db.orgId, query));
    return listBody({ rows, totalCount: await countRules(db, db.orgId) }, query, (row) =>
      seenBy(context, row),
    );
  },
});

const read = route({
  method: 'GET',
  path: '/api/v1/rules/{rule_id}',
  operationId: 'getRule',
  summary: 'Read a rule',
  ...ADMINISTRATION,
  params: ONE_RULE,
  find: ONE,
  success: found(RULE, 'The rule as it was set last'),
  handle: async ({ context, row }) => seenBy(context, await shownRule(context.db, row)),
});

const change = route({
  method: 'PATCH',
  path: '/api/v1/rules/{rule_id}',
  operationId: 'updateRule',
  summary:
    'Change a rule from now on, or from `valid_from` on; with the `version` it was read with, only if nobody else has',
  ...ADMINISTRATION,
  params: ONE_RULE,
  find: ONE,
  body: rulePatchBody,
  success: found(RULE, 'The rule as it is set now'),
  problems: {
    conflict: 'It is not that version any more, or the rules were changed too often within 31 days',
  },
  handle: async ({ context, row, body, requestId }) => {
    const { db } = context;
    const {
      valid_from: validFrom,
      ends_at: endsAt,
      added_asset_external_keys: added,
      version,
      ...given
    } = body.against({});
    const wanted = {
      ...{ ...changeOf(given), addedAssetExternalKeys: added, validFrom: instantOf(validFrom) },
      endsAt: endsAt == null ? endsAt : toMicros(endsAt),
      version,
    };
    return shownRule(db, await changeRule(db, actorOf(context, requestId), now(), row, wanted));
  },
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/rules/{rule_id}',
  operationId: 'deleteRule',
  summary: 'End a rule now',
  ...ADMINISTRATION,
  params: ONE_RULE,
  find: ONE,
  success: noContent('The rule has ended'),
  problems: { conflict: 'The rules were changed too often within 31 days' },
  handle: async ({ context, row, requestId }) => {
    await endRule(context.db, actorOf(context, requestId), now(), row, { validFrom: null });
  },
});

function now(): Micros {
  return Date.now() * MICROS_PER_MILLISECOND;
}

function instantOf(given: Instant | undefined): Micros | null {
  return given === undefined ? null : toMicros(given);
}

export const ruleRoutes = [create, list, read, change, remove, tryNew, tryStored];

/** The settings of a rule in a body. */
function changeOf(body: RulePatch): RuleChange {
  return {
    ...{ name: body.name, after: inMicros(body.after_seconds), thenAfter: inMicros(body.then_seconds) },
    ...{ locationExternalKey: body.location_external_key, hours: body.hours, timeZone: body.time_zone },
    ...{ reading: body.reading, above: body.above, below: body.below, hysteresis: body.hysteresis },
    assetExternalKeys: body.asset_external_keys,
    withinLocationExternalKey: body.within_location_external_key,
    ...{ metadata: body.metadata, readerIds: body.reader_ids, mailTo: body.mail_to },
  };
}

function inMicros(seconds: number | null | undefined): Micros | null | undefined {
  return seconds == null ? seconds : seconds * MICROS_PER_SECOND;
}
