import { conflict, notFound } from '../../base/errors.ts';
import { JsonText } from '../../base/json/json-text.ts';
import type { Database } from '../../db/timescale/connections/database.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Actor } from '../changes/actor.ts';
import { type Change, type ChangeResult, changed, makeChange } from '../changes/make-change.ts';
import { holdRoom, requireRoom } from '../changes/require-room.ts';
import type { Organization } from './read-names.ts';

export interface NamedQuery {
  name: string;
  /** The text of an object: parameters of the query language. */
  query: string;
}

interface QueryRef {
  orgId: number;
  name: string;
}

/** @throws AppError `conflict` if the name is taken, or there are too many. */
export async function createQuery(
  db: Database,
  actor: Actor,
  { orgId, name, query }: QueryRef & NamedQuery,
): Promise<void> {
  await makeChange(db, actor, async (change) => {
    await requireRoom(change, orgId, 'epcisQueries');
    const created = await change.exec(sql.type(NO_ROWS)`
      insert into epcis_queries (org_id, name, query) values (${orgId}, ${name}, ${query}::json)
      on conflict (org_id, name) do nothing`);
    if (created === 0) {
      throw conflict(`There is a query named ${name} already`);
    }
    const after = { name, query: new JsonText(query) };
    const resource = { type: 'epcis_query' as const, id: name };
    return changed(undefined, [{ orgId, action: 'create', resource, before: null, after }]);
  });
}

/** Until the transaction ends, no subscription to it is made. @throws AppError `not_found`. */
export async function deleteQuery(
  change: Change,
  { orgId, name }: QueryRef,
): Promise<ChangeResult<undefined>> {
  await holdRoom(change, orgId);
  const row = await change.maybeOne(sql.type(rowsOf<{ query: string }>())`
    delete from epcis_queries where org_id = ${orgId} and name = ${name} returning query`);
  if (row === null) {
    throw noQuery(name);
  }
  const before = { name, query: new JsonText(row.query) };
  const resource = { type: 'epcis_query' as const, id: name };
  return changed(undefined, [{ orgId, action: 'delete', resource, before, after: null }]);
}

function noQuery(name: string) {
  return notFound(`There is no query named ${name}`);
}

/** All of an organization, of which there are a hundred at most. */
export function listQueries(db: Organization): Promise<readonly NamedQuery[]> {
  return db.any(sql.type(rowsOf<NamedQuery>())`
    select name, query from epcis_queries where org_id = ${db.orgId} order by name`);
}

/** @throws AppError `not_found`. */
export async function requireQuery(db: Organization, name: string): Promise<NamedQuery> {
  const row = await db.maybeOne(sql.type(rowsOf<NamedQuery>())`
    select name, query from epcis_queries where org_id = ${db.orgId} and name = ${name}`);
  if (row === null) {
    throw noQuery(name);
  }
  return row;
}

/** A webhook that gets what a query matches. */
export interface Subscription {
  id: number;
  url: string;
  created_at: string;
  /** When it was last delivered to; null if never. */
  notified_at: string | null;
}

export function listSubscriptions(db: Organization, queryName: string): Promise<readonly Subscription[]> {
  return db.any(sql.type(rowsOf<Subscription>())`
    select webhook.id, webhook.url, webhook.created_at, (
      select max(attempt.at) from webhook_attempts attempt
      where attempt.org_id = webhook.org_id and attempt.webhook_id = webhook.id and attempt.status between 200 and 299
    ) as notified_at
    from webhooks webhook
    where webhook.org_id = ${db.orgId} and webhook.deleted_at is null and webhook.epcis ->> 'queryName' = ${queryName}
    order by webhook.id`);
}
