import { ID_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { invalid, invalidValue, refuseIssues, required } from '../../../base/checks/issues.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { fromDatabase, toMicros } from '../../../base/timestamps.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { changeView } from '../../../domain/changes/change-view.ts';
import { type LoggedChange, listChanges, type WantedChanges } from '../../../domain/changes/list-changes.ts';
import { integer, keyFilter, searchText, timeBound } from '../../../platform/http/parameters.ts';
import { answered } from '../../../platform/http/success.ts';
import { mayReadAddresses } from '../../api/entry.ts';
import { memberRoute } from '../serving/context.ts';
import { listOf, objectOf, TEXT_OR_NULL, TEXT_SCHEMA } from '../serving/schemas.ts';

const FIELDS = nullableSchema({ type: 'object' });

const CHANGE = objectOf({
  id: ID_SCHEMA,
  at: TIME_SCHEMA,
  actor: objectOf({ type: TEXT_SCHEMA, id: TEXT_SCHEMA, name: TEXT_OR_NULL }),
  action: TEXT_SCHEMA,
  resource: objectOf({
    type: TEXT_SCHEMA,
    id: { type: ['integer', 'string'] },
    external_key: TEXT_OR_NULL,
    name: TEXT_OR_NULL,
  }),
  before: FIELDS,
  after: FIELDS,
  request_id: TEXT_OR_NULL,
});

/** `next` is the cursor of the page after, which is older; null behind the oldest. */
const CHANGES = objectOf({ data: listOf(CHANGE), next: TEXT_OR_NULL });

const CHANGE_FILTERS = {
  since: timeBound,
  until: timeBound,
  actor_type: searchText,
  actor_id: searchText,
  resource_type: searchText,
  resource_id: searchText,
  action: searchText,
  cursor: keyFilter,
  limit: integer({ min: 1, max: 200 }, 50),
};

/** The cursor of the page behind this change: its time, and its id. */
function cursorBehind({ at, id }: LoggedChange): string {
  return `${toMicros(fromDatabase(at))}-${id}`;
}

/** @throws Invalid */
function readCursor(cursor: string): NonNullable<WantedChanges['before']> {
  const [, at, id] = /^(\d{1,16})-(\d{1,15})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined) {
    throw invalid([invalidValue('cursor', 'must be `next` of an answer, as it was')]);
  }
  return { at: Number(at), id: Number(id) };
}

/** Changes that show where people sign in from: for administrators. */
const OF_PEOPLE = ['user', 'membership', 'session', 'link'];

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/changes', operationId: 'listChanges' },
  summary: 'Who changed what, the newest first',
  description:
    'Those of users and sessions, and where webhooks lead behind the host, are shown to administrators only; whom rules tell ' +
    'to operators and administrators.',
  scope: 'changes:read',
  query: { parameters: CHANGE_FILTERS },
  success: answered(CHANGES, 'A page of changes, and where the next begins'),
  handle: async ({ context: { db, scopes, parts }, query, signal }) => {
    const { since, until, actor_type, actor_id, resource_type, resource_id, action, cursor, limit } = query;
    refuseIssues([
      ...(actor_type !== undefined && actor_id === undefined ? [required('actor_id')] : []),
      ...(resource_id !== undefined && resource_type === undefined ? [required('resource_type')] : []),
    ]);
    const mayKnow = scopes.includes('users:admin');
    const rows = await listChanges(db.listing({ isBrief: true, signal: signal() }), db.orgId, {
      since: since === undefined ? null : toMicros(since.instant),
      until: until === undefined ? undefined : toMicros(until.instant),
      actor: actor_id === undefined ? undefined : { type: actor_type ?? 'user', id: actor_id },
      resource: resource_type === undefined ? undefined : { type: resource_type, id: resource_id },
      action,
      without: mayKnow ? undefined : OF_PEOPLE,
      before: cursor === undefined ? undefined : readCursor(cursor),
      // One more than is shown tells whether there is another page.
      limit: limit + 1,
    });
    const page = rows.slice(0, limit).map((change) => asMayBeSeen(change, scopes));
    const last = page.at(-1);
    const [users, others] = await Promise.all([
      namesOfUsers(parts.people.of(db.orgId), page),
      parts.insight.run(db.orgId, (installation) => namesOfOthers(installation, db.orgId, page)),
    ]);
    return {
      data: page.map((change) => namedView(change, new Map([...users, ...others]))),
      next: rows.length > limit && last !== undefined ? cursorBehind(last) : null,
    };
  },
});

/** The name of a resource without a key. */
const NAMED_AS: Readonly<Record<string, string>> = { api_key: 'key', membership: 'user' };

function namedView(change: LoggedChange, names: Names) {
  const { actor, resource, ...view } = changeView(change);
  const type = NAMED_AS[resource.type] ?? resource.type;
  return {
    ...view,
    actor: { ...actor, name: names.get(`${actor.type} ${actor.id}`) ?? null },
    resource: { ...resource, name: names.get(`${type} ${resource.id}`) ?? null },
  };
}

export const changeRoutes = [list];

type Json = Readonly<Record<string, unknown>>;

/** A change without what the caller could not read of the resource itself. */
function asMayBeSeen(change: LoggedChange, scopes: readonly string[]): LoggedChange {
  const hide = hidden(change.resource_type, scopes);
  return hide === null
    ? change
    : { ...change, before: rewritten(change.before, hide), after: rewritten(change.after, hide) };
}

function hidden(resourceType: string, scopes: readonly string[]): ((fields: Json) => Json) | null {
  if (resourceType === 'rule' && !mayReadAddresses({ scopes })) {
    return ({ mail_to: _, ...rest }) => rest;
  }
  if (resourceType === 'webhook' && !scopes.includes('webhooks:admin')) {
    return withoutPath;
  }
  return null;
}

/** The part behind the host is often the receiver's only secret. */
function withoutPath({ url, ...rest }: Json): Json {
  return typeof url === 'string' && URL.canParse(url) ? { ...rest, url: `${new URL(url).origin}/…` } : rest;
}

function rewritten(json: string | null, hide: (fields: Json) => Json): string | null {
  return json === null ? null : JSON.stringify(hide(JSON.parse(json)));
}

interface Named {
  type: string;
  id: string;
  name: string;
}

/** Names of actors and changed resources, by `type id`; deleted ones too. */
type Names = ReadonlyMap<string, string>;

/** Users of a page of changes. Members may see who changed something in their organization. */
async function namesOfUsers(people: Connection, changes: readonly LoggedChange[]): Promise<Names> {
  const ids = [...idsOf(changes, ['user'], ['user', 'membership'])].map((id) => Number.parseInt(id, 10));
  const rows = await people.any(sql.type(rowsOf<{ id: number; name: string }>())`
    select id, name from users where id = any(${sql.array(ids.filter(Number.isSafeInteger), 'int4')})`);
  return new Map(rows.map(({ id, name }) => [`user ${id}`, name]));
}

/** Keys, devices, webhooks and rules of an organization. */
async function namesOfOthers(
  installation: Pool,
  orgId: number,
  changes: readonly LoggedChange[],
): Promise<Names> {
  const isOf = (type: string, resource = type) => sql.array([...idsOf(changes, [type], [resource])], 'text');
  const rows = await installation.any(sql.type(rowsOf<Named>())`
    select 'key' as type, id, name from api_keys where org_id = ${orgId} and id = any(${isOf('key', 'api_key')})
    union all
    select 'handheld', id::text, name from handhelds where org_id = ${orgId} and id::text = any(${isOf('handheld')})
    union all
    select 'reader', id::text, name from readers where org_id = ${orgId} and id::text = any(${isOf('reader')})
    union all
    select 'webhook', id::text, name from webhooks where org_id = ${orgId} and id::text = any(${isOf('webhook')})
    union all
    (select distinct on (id) 'rule', id, name from rules where org_id = ${orgId} and id = any(${isOf('rule')})
    order by id, version desc)`);
  return new Map(rows.map(({ type, id, name }) => [`${type} ${id}`, name]));
}

function idsOf(
  changes: readonly LoggedChange[],
  actors: readonly string[],
  resources: readonly string[],
): ReadonlySet<string> {
  return new Set(
    changes.flatMap(({ actor_type, actor_id, resource_type, resource_id }) => [
      ...(actors.includes(actor_type) ? [actor_id] : []),
      ...(resources.includes(resource_type) ? [resource_id] : []),
    ]),
  );
}
