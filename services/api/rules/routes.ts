import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { type Instant, toMicros } from '../../../base/timestamps.ts';
import { changeRule, endRule } from '../../../domain/alerts/rules/change-rule.ts';
import { addRule } from '../../../domain/alerts/rules/create-rule.ts';
import { shownRule, shownRules } from '../../../domain/alerts/rules/rule-fields.ts';
import { countRules, listRules } from '../../../domain/alerts/rules/stored-rules.ts';
import { makeChange } from '../../../domain/changes/make-change.ts';
import { listBody, PAGING } from '../../../platform/http/lists.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { created, found, listed, noContent } from '../../../platform/http/success.ts';
import { actorOf } from '../serving/actor.ts';
import { route } from '../serving/context.ts';
import { seenBy } from './addresses.ts';
import { changeOf } from './change-of.ts';
import { ADMINISTRATION, ONE } from './one-rule.ts';
import { LISTED_RULE, newRuleBody, ONE_RULE, RULE, rulePatchBody } from './schema.ts';
import { tryNew, tryStored } from './trials.ts';

const create = route({
  method: 'POST',
  path: '/api/v1/rules',
  operationId: 'createRule',
  summary: 'Have an alert raised when something is not where it should be',
  ...ADMINISTRATION,
  query: NO_QUERY,
  params: {},
  body: newRuleBody,
  success: created(RULE, 'The rule'),
  problems: { conflict: 'There are as many rules as there may be' },
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
  params: {},
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
  query: NO_QUERY,
  params: ONE_RULE,
  find: ONE,
  success: found(RULE, 'The rule as it was set last'),
  handle: async ({ context, row }) => seenBy(context, await shownRule(context.db, row)),
});

const change = route({
  method: 'PATCH',
  path: '/api/v1/rules/{rule_id}',
  operationId: 'updateRule',
  summary: 'Change a rule from now on, or from `valid_from` on',
  ...ADMINISTRATION,
  query: NO_QUERY,
  params: ONE_RULE,
  find: ONE,
  body: rulePatchBody,
  success: found(RULE, 'The rule as it is set now'),
  problems: { conflict: 'The rules were changed too often within 31 days' },
  handle: async ({ context, row, body, requestId }) => {
    const { db } = context;
    const { valid_from: validFrom, ends_at: endsAt, ...given } = body.against({});
    const wanted = {
      ...{ ...changeOf(given), validFrom: instantOf(validFrom) },
      endsAt: endsAt == null ? endsAt : toMicros(endsAt),
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
  query: NO_QUERY,
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
