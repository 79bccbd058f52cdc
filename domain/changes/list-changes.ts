import type { Micros } from '../../base/instant.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Actor } from './actor.ts';

/** A row of the change log. Times are the text of a `timestamptz`. */
export interface LoggedChange {
  id: number;
  at: string;
  actor_type: Actor['type'];
  actor_id: string;
  request_id: string | null;
  action: string;
  resource_type: string;
  resource_id: string;
  external_key: string | null;
  /** JSON. */
  before: string | null;
  /** JSON. */
  after: string | null;
}

/** Which of an organization's changes. */
export interface WantedChanges {
  /** The earliest; null for no bound. */
  since: Micros | null;
  limit: number;
  /** Only changes before this time. */
  until?: Micros | undefined;
  actor?: { type: string; id: string } | undefined;
  resource?: { type: string; id?: string | undefined } | undefined;
  action?: string | undefined;
  /** Types of resources that are left out. */
  without?: readonly string[] | undefined;
  /** The last of the page before, which is newer. */
  before?: { at: Micros; id: number } | undefined;
}

/**
 * The newest changes, newest first, in pages. Changes of a resource and of an actor each have an index.
 *
 * @param orgId null for the installation's own.
 */
export function listChanges(
  db: Connection,
  orgId: number | null,
  { since, limit, until, actor, resource, action, without, before }: WantedChanges,
): Promise<readonly LoggedChange[]> {
  const conditions = [
    // Either is found by the index; `is not distinct from` would not be.
    orgId === null ? sql.fragment`org_id is null` : sql.fragment`org_id = ${orgId}`,
    ...(since === null ? [] : [sql.fragment`at >= time_of_micros(${since})`]),
    ...(until === undefined ? [] : [sql.fragment`at < time_of_micros(${until})`]),
    ...(actor === undefined ? [] : [sql.fragment`actor_id = ${actor.id} and actor_type = ${actor.type}`]),
    ...(resource === undefined ? [] : [sql.fragment`resource_type = ${resource.type}`]),
    ...(resource?.id === undefined ? [] : [sql.fragment`resource_id = ${resource.id}`]),
    ...(action === undefined ? [] : [sql.fragment`action = ${action}`]),
    ...(without === undefined ? [] : [sql.fragment`resource_type <> all(${sql.array(without, 'text')})`]),
    ...(before === undefined ? [] : [sql.fragment`(at, id) < (time_of_micros(${before.at}), ${before.id})`]),
  ];
  return db.any(sql.type(rowsOf<LoggedChange>())`
    select id, at, actor_type, actor_id, request_id, action, resource_type, resource_id, external_key, before, after
    from changes
    where ${sql.join(conditions, sql.fragment` and `)}
    order by at desc, id desc
    limit ${limit}`);
}
