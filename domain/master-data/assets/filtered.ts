import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import { NOTHING } from '../brief-list.ts';
import { allOf, inEffect, when } from '../clauses.ts';

export interface Narrowing {
  orgId: number;
  external_key?: readonly string[] | undefined;
  location_id?: readonly number[] | undefined;
  location_external_key?: readonly string[] | undefined;
}

export interface Standing {
  include_deleted: boolean;
  include_not_in_effect: boolean;
  is_active?: boolean | undefined;
}

/** Conditions on an `asset` and its `position`. */
export function narrowedTo({ orgId, ...values }: Narrowing): (FragmentSqlToken | null)[] {
  return [
    when(values.external_key, (keys) => sql.fragment`asset.external_key = any(${sql.array(keys, 'text')})`),
    when(values.location_id, (ids) => sql.fragment`position.location_id = any(${sql.array(ids, 'int4')})`),
    when(
      values.location_external_key,
      (keys) => sql.fragment`position.location_id in (
        select id from locations where org_id = ${orgId} and external_key = any(${sql.array(keys, 'text')}))`,
    ),
  ];
}

/** Conditions on an `asset`. */
export function standingOf(orgId: number, standing: Standing): (FragmentSqlToken | null)[] {
  return [
    sql.fragment`asset.org_id = ${orgId}`,
    standing.include_not_in_effect ? null : inEffect('asset'),
    standing.include_deleted ? null : sql.fragment`asset.deleted_at is null`,
    when(standing.is_active, (isActive) => sql.fragment`asset.is_active = ${isActive}`),
  ];
}

/**
 * Assets found by a search and the other filters, as `matched`, with sortable columns only. All must be
 * counted, so each is read once, in the database's function (`db/timescale/schema/functions/search.sql`); a
 * function's result has no collation.
 *
 * @param narrowing conditions on an `asset` and its `position` that the function does not know.
 */
export function matched(
  orgId: number,
  searched: string,
  {
    include_not_in_effect,
    include_deleted,
    is_active,
  }: { include_not_in_effect: boolean; include_deleted: boolean; is_active?: boolean | undefined },
  narrowing: readonly (FragmentSqlToken | null)[],
): FragmentSqlToken {
  const narrowed = narrowing.some((condition) => condition !== null)
    ? sql.fragment`
      left join positions position on position.org_id = ${orgId} and position.asset_id = asset.id
      where ${allOf(narrowing)}`
    : NOTHING;
  return sql.fragment`matched as materialized (
    select asset.id, asset.external_key collate "C" as external_key, asset.name collate "C" as name,
      asset.created_at, asset.updated_at
    from find_assets_by_text(${orgId}, ${searched},
      ${include_not_in_effect}::boolean, ${include_deleted}::boolean, ${is_active ?? null}::boolean) asset${narrowed})`;
}
