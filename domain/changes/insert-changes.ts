import { integers, texts } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, type RowQuery, sql } from '../../db/timescale/queries/sql.ts';
import type { Actor } from './actor.ts';
import type { ChangeEntry } from './entry.ts';
import { loggedFields } from './logged-fields.ts';

/** The statement that logs an author's entries, in their order. */
export async function insertChanges(actor: Actor, entries: readonly ChangeEntry[]): Promise<RowQuery<never>> {
  const [before, after] = [[] as (string | null)[], [] as (string | null)[]];
  for (const entry of entries) {
    before.push(await loggedFields(entry.before));
    after.push(await loggedFields(entry.after));
  }
  const column = (of: (entry: ChangeEntry) => string | null) => sql.binary(texts(entries.map(of)));
  const organizations = sql.binary(integers(entries.map(({ orgId }) => orgId)));
  return sql.prepared('insert-changes', NO_ROWS)`${intoChanges(sql.fragment`
    select given.org_id, ${authorOf(actor)}, given.action, given.resource_type, given.resource_id,
      given.external_key, given.before::json, given.after::json
    from unnest(${organizations}::integer[], ${column(({ action }) => action)}::text[],
      ${column(({ resource }) => resource.type)}::text[], ${column(({ resource }) => String(resource.id))}::text[],
      ${column(({ resource }) => resource.externalKey ?? null)}::text[],
      ${sql.binary(texts(before))}::text[], ${sql.binary(texts(after))}::text[]) with ordinality
      as given (org_id, action, resource_type, resource_id, external_key, before, after, ordinal)
    order by given.ordinal`)}`;
}

/**
 * Logs rows that exist only inside a statement, without loading them.
 *
 * @param selected rows of organization, the three columns of {@link authorOf}, action, type and id of the resource, its
 * external key, before, after; large values through `logged_value`.
 */
export function intoChanges(selected: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`insert into changes
    (org_id, actor_type, actor_id, request_id, action, resource_type, resource_id, external_key, before, after)
    ${selected}`;
}

/** Three items of a select list. */
export function authorOf({ type, id, requestId }: Actor): FragmentSqlToken {
  return sql.fragment`${type}::text, ${id}::text, ${requestId}::text`;
}
