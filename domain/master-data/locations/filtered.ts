import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import { inEffect, isFound, when } from '../clauses.ts';

export interface Narrowing {
  external_key?: readonly string[] | undefined;
  id?: number | undefined;
  parent_id?: number | undefined;
  parent_external_key?: string | undefined;
  q?: string | undefined;
}

export interface Standing {
  include_deleted: boolean;
  include_not_in_effect: boolean;
  is_active?: boolean | undefined;
}

/** Conditions on a `location`; a search is one of `found`, which `finding` puts in front. */
export function narrowedTo(orgId: number, values: Narrowing): (FragmentSqlToken | null)[] {
  return [
    when(
      values.external_key,
      (keys) => sql.fragment`location.external_key = any(${sql.array(keys, 'text')})`,
    ),
    when(values.id, (id) => sql.fragment`location.id = ${id}`),
    when(values.parent_id, (parentId) => sql.fragment`location.parent_id = ${parentId}`),
    when(
      values.parent_external_key,
      (key) => sql.fragment`location.parent_id in (
        select id from locations where org_id = ${orgId} and external_key = ${key})`,
    ),
    when(values.q, () => isFound('location')),
  ];
}

/** Conditions on a `location`. */
export function standingOf(orgId: number, standing: Standing): (FragmentSqlToken | null)[] {
  return [
    sql.fragment`location.org_id = ${orgId}`,
    standing.include_not_in_effect ? null : inEffect('location'),
    standing.include_deleted ? null : sql.fragment`location.deleted_at is null`,
    when(standing.is_active, (isActive) => sql.fragment`location.is_active = ${isActive}`),
  ];
}
