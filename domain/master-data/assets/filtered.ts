import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import { inEffect, when } from '../clauses.ts';

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
