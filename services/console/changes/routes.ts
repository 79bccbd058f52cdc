import { toMicros } from '../../../base/timestamps.ts';
import { changeView } from '../../../domain/changes/change-view.ts';
import { type LoggedChange, listChanges } from '../../../domain/changes/list-changes.ts';
import { answered } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { asMayBeSeen } from './as-may-be-seen.ts';
import { cursorBehind, readCursor } from './cursor.ts';
import { type Names, namesOfOthers, namesOfUsers } from './names.ts';
import { CHANGE_FILTERS, CHANGES } from './schema.ts';

/** They tell where people sign in from: for administrators. */
const OF_PEOPLE = ['user', 'membership', 'session', 'link'];

const list = memberRoute({
  ...{ method: 'GET', path: '/console/v1/changes', operationId: 'listChanges' },
  summary: 'Who changed what, the newest first',
  description:
    'Those of users and sessions, and where webhooks lead behind the host, are shown to administrators only; whom rules tell ' +
    'to operators and administrators.',
  scope: 'changes:read',
  query: { parameters: CHANGE_FILTERS },
  params: {},
  success: answered(CHANGES, 'A page of changes, and where the next begins'),
  handle: async ({ context: { db, scopes, parts }, query, signal }) => {
    const { since, until, actor_type, actor_id, resource_type, resource_id, cursor, limit } = query;
    const mayKnow = scopes.includes('users:admin');
    const rows = await listChanges(db.listing({ isBrief: true, signal: signal() }), db.orgId, {
      since: since === undefined ? null : toMicros(since.instant),
      until: until === undefined ? undefined : toMicros(until.instant),
      actor: actor_id === undefined ? undefined : { type: actor_type ?? 'user', id: actor_id },
      resource: resource_type === undefined ? undefined : { type: resource_type, id: resource_id },
      without: mayKnow ? undefined : OF_PEOPLE,
      before: cursor === undefined ? undefined : readCursor(cursor),
      // One more than is shown tells whether there is another page.
      limit: limit + 1,
    });
    const page = rows.slice(0, limit).map((change) => asMayBeSeen(change, scopes));
    const last = page.at(-1);
    const [users, others] = await Promise.all([
      namesOfUsers(parts.people, page),
      parts.insight.run(db.orgId, (installation) => namesOfOthers(installation, db.orgId, page)),
    ]);
    return {
      data: page.map((change) => namedView(change, new Map([...users, ...others]))),
      next: rows.length > limit && last !== undefined ? cursorBehind(last) : null,
    };
  },
});

/** Of a resource without a key of its own, its name. */
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
