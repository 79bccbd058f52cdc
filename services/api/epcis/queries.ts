import { append } from '../../../base/append.ts';
import {
  type FieldIssue,
  invalidValue,
  refuseIssues,
  required,
  tooLong,
} from '../../../base/checks/issues.ts';
import { notFound } from '../../../base/errors.ts';
import { JsonText } from '../../../base/json/json-text.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { ChangeEntry } from '../../../domain/changes/entry.ts';
import { changed, makeChange } from '../../../domain/changes/make-change.ts';
import { holdRoom } from '../../../domain/changes/require-room.ts';
import type { FilterGiven } from '../../../domain/epcis/filter.ts';
import {
  createQuery,
  deleteQuery,
  listQueries,
  listSubscriptions,
  type NamedQuery,
  requireQuery,
  type Subscription,
} from '../../../domain/epcis/queries.ts';
import type { Base } from '../../../domain/epcis/read-names.ts';
import { MOVE_TYPES } from '../../../domain/moves/event.ts';
import { addWebhook } from '../../../domain/webhooks/create-webhook.ts';
import { deleteWebhook, removeWebhook } from '../../../domain/webhooks/delete-webhook.ts';
import { faultOfTarget } from '../../../domain/webhooks/targets/target-url.ts';
import { type Query, readQuery } from '../../../platform/http/query.ts';
import { noContent, type Success } from '../../../platform/http/success.ts';
import { type ApiContext, actorOf, route } from '../serving/context.ts';
import { requireParts, withKey } from '../webhooks/routes.ts';
import { answerEvents, EVENTS_QUERY, type EventsQuery, PAGED, PAGES, textInPath } from './events.ts';
import { EPCIS } from './mount.ts';
import { newQueryBody, newSubscriptionBody } from './query-bodies.ts';

const READING = { scope: 'tracking:read', isInternal: true } as const;
const ADMINISTRATION = { scope: 'webhooks:admin', isInternal: true } as const;

const NAMED = { query_name: textInPath };
const SUBSCRIBED = { ...NAMED, subscription_id: textInPath };

/** Characters of a stored query. */
const MOST_LENGTH = 16_384;

const { perPage: _, nextPageToken: __, ...parameters } = EVENTS_QUERY.parameters;
const STORED = { ...EVENTS_QUERY, parameters } satisfies Query;

/** @throws Invalid for anything but parameters that are supported. */
function readStored(query: string): Omit<EventsQuery, keyof typeof PAGES> {
  const search = new URLSearchParams();
  const issues: FieldIssue[] = [];
  for (const [name, value] of Object.entries(JSON.parse(query) as Record<string, unknown>)) {
    for (const each of name === '@context' ? [] : [value].flat()) {
      if (['string', 'number', 'boolean'].includes(typeof each)) {
        search.append(name, String(each));
      } else {
        issues.push(invalidValue(name, 'must be a text, a number or a list of texts'));
      }
    }
  }
  refuseIssues(issues);
  return readQuery(STORED, search.toString());
}

function shownQuery({ name, query }: NamedQuery) {
  return { name, query: new JsonText(query) };
}

const SHOWN: Success<object> = {
  status: 200,
  description: 'It',
  schema: null,
  headers: {},
  present: (body) => ({ body }),
};

const CREATED: Success<{ id: string; body: object }> = {
  status: 201,
  description: 'It is created',
  schema: null,
  headers: { Location: 'Where it is' },
  present: ({ id, body }, path) => ({ body, headers: { Location: `${path}/${encodeURIComponent(id)}` } }),
};

const createNamed = route({
  ...{ method: 'POST', path: `${EPCIS}/queries`, operationId: 'epcisCreateQuery', summary: 'Name a query' },
  ...ADMINISTRATION,
  body: newQueryBody,
  success: CREATED,
  handle: async ({ context, body: { name, query }, requestId }) => {
    refuseIssues([
      // Clients take such names out of a path.
      ...(/^(\s*|\.\.?)$/.test(name) ? [invalidValue('name', 'must not be blank, . or ..')] : []),
      ...(query.length > MOST_LENGTH ? [tooLong('query', MOST_LENGTH)] : []),
    ]);
    readStored(query);
    await createQuery(context.db, actorOf(context, requestId), { orgId: context.db.orgId, name, query });
    return { id: name, body: shownQuery({ name, query }) };
  },
});

const listNamed = route({
  ...{ method: 'GET', path: `${EPCIS}/queries`, operationId: 'epcisListQueries' },
  ...{ summary: 'The named queries', ...READING },
  success: SHOWN,
  handle: async ({ context }) => (await listQueries(context.db)).map(shownQuery),
});

const readNamed = route({
  ...{ method: 'GET', path: `${EPCIS}/queries/{query_name}`, operationId: 'epcisGetQuery' },
  ...{ summary: 'A query', ...READING },
  params: NAMED,
  success: SHOWN,
  handle: async ({ context, params }) => shownQuery(await requireQuery(context.db, params.query_name)),
});

const removeNamed = route({
  ...{ method: 'DELETE', path: `${EPCIS}/queries/{query_name}`, operationId: 'epcisDeleteQuery' },
  ...{ summary: 'Delete a query with its subscriptions', ...ADMINISTRATION },
  params: NAMED,
  success: noContent('It is deleted'),
  handle: ({ context, params: { query_name: name }, requestId }) =>
    makeChange(context.db, actorOf(context, requestId), async (change) => {
      const { orgId } = change;
      const { entries } = await deleteQuery(change, { orgId, name });
      const ended: ChangeEntry[] = [];
      for (const { id } of await listSubscriptions(change, name)) {
        append(ended, (await removeWebhook(change, { orgId, id })).entries);
      }
      return changed(undefined, [...ended, ...entries]);
    }),
});

function shownSubscription(
  { id, url, created_at: at, notified_at: notifiedAt }: Subscription,
  queryName: string,
) {
  const lastNotifiedAt = wireTimeOrNull(notifiedAt);
  return {
    ...{ subscriptionID: String(id), queryName, dest: url, stream: true, createdAt: wireTime(at) },
    ...(lastNotifiedAt === null ? {} : { lastNotifiedAt }),
  };
}

const SUBSCRIPTIONS = `${EPCIS}/queries/{query_name}/subscriptions`;

const listSubscribed = route({
  ...{ method: 'GET', path: SUBSCRIPTIONS, operationId: 'epcisListSubscriptions' },
  ...{ summary: 'The subscriptions of a query', ...READING },
  params: NAMED,
  success: SHOWN,
  handle: async ({ context: { db }, params: { query_name: name } }) => {
    await requireQuery(db, name);
    return (await listSubscriptions(db, name)).map((each) => shownSubscription(each, name));
  },
});

async function requireSubscription(
  { db }: ApiContext,
  params: { query_name: string; subscription_id: string },
) {
  const found = await listSubscriptions(db, params.query_name);
  const subscription = found.find(({ id }) => String(id) === params.subscription_id);
  if (subscription === undefined) {
    throw notFound(`The query ${params.query_name} has no subscription ${params.subscription_id}`);
  }
  return subscription;
}

const readSubscribed = route({
  ...{ method: 'GET', path: `${SUBSCRIPTIONS}/{subscription_id}`, operationId: 'epcisGetSubscription' },
  ...{ summary: 'A subscription', ...READING },
  params: SUBSCRIBED,
  success: SHOWN,
  handle: async ({ context, params }) =>
    shownSubscription(await requireSubscription(context, params), params.query_name),
});

const unsubscribe = route({
  ...{ method: 'DELETE', path: `${SUBSCRIPTIONS}/{subscription_id}`, operationId: 'epcisUnsubscribe' },
  ...{ summary: 'End a subscription', ...ADMINISTRATION },
  params: SUBSCRIBED,
  success: noContent('It is ended'),
  handle: async ({ context, params, requestId }) => {
    const { id } = await requireSubscription(context, params);
    await deleteWebhook(context.db, actorOf(context, requestId), { orgId: context.db.orgId, id });
  },
});

/** What a subscription is limited to. @throws Invalid for what limits or sorts a whole. */
function subscribedTo(query: string): FilterGiven {
  const { orderBy, orderDirection, eventCountLimit, maxEventCount, ...given } = readStored(query);
  const ofWhole = { orderBy, orderDirection, eventCountLimit, maxEventCount };
  refuseIssues(
    Object.entries(ofWhole).flatMap(([name, value]) =>
      value === undefined ? [] : [invalidValue(name, 'must not be in a query that is subscribed to')],
    ),
  );
  return given;
}

export function queryRoutes(base: Base) {
  const events = route({
    ...{ method: 'GET', path: `${EPCIS}/queries/{query_name}/events`, operationId: 'epcisQueryEvents' },
    ...{ summary: 'What a query finds', ...READING },
    params: NAMED,
    query: { parameters: PAGES, unsupported: EVENTS_QUERY.unsupported },
    success: PAGED,
    handle: async ({ context, params: { query_name: queryName }, query, search, signal, charge }) => {
      const stored = await requireQuery(context.db, queryName);
      const asked = { ...readStored(stored.query), ...query };
      return answerEvents({ context, query: asked, search, base, signal: signal(), charge, queryName });
    },
  });
  const subscribe = route({
    ...{ method: 'POST', path: SUBSCRIPTIONS, operationId: 'epcisSubscribe' },
    ...{ summary: 'Have events sent that a query matches, as they come', ...ADMINISTRATION },
    params: NAMED,
    body: newSubscriptionBody,
    success: CREATED,
    handle: async ({ context, params: { query_name: queryName }, body, requestId }) => {
      const { db } = context;
      const parts = requireParts(context.webhooks);
      const creating = makeChange(db, actorOf(context, requestId), async (change) => {
        // So the query is not deleted meanwhile.
        await holdRoom(change, db.orgId);
        const given = subscribedTo((await requireQuery(change, queryName)).query);
        const fault = faultOfTarget(body.dest, parts.networks);
        refuseIssues([
          ...(fault === null ? [] : [invalidValue('dest', fault)]),
          ...(body.stream === true ? [] : [required('stream')]),
        ]);
        return addWebhook(change, parts, {
          ...{ orgId: db.orgId, name: `EPCIS ${queryName}`, url: body.dest },
          ...{ types: Object.values(MOVE_TYPES), epcis: { queryName, given, base } },
          secret: body.signatureToken,
        });
      });
      const { id, url, createdAt } = (await withKey(creating)).webhook;
      const shown = shownSubscription({ id, url, created_at: createdAt, notified_at: null }, queryName);
      return { id: String(id), body: shown };
    },
  });
  return [
    ...[createNamed, listNamed, readNamed, removeNamed, events],
    ...[listSubscribed, subscribe, readSubscribed, unsubscribe],
  ];
}
