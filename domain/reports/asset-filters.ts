import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';
import { rowById } from '../master-data/by-id-or-key.ts';

export interface AssetFilters {
  asset_id?: readonly number[] | undefined;
  asset_external_key?: readonly string[] | undefined;
  include_deleted: boolean;
}

/** The ids of the assets that filters name, `asset_id`, deleted ones too; null if nothing narrows them. */
export function namedAssets(
  orgId: number,
  { asset_id: ids, asset_external_key: keys }: AssetFilters,
): FragmentSqlToken | null {
  if (ids !== undefined) {
    return sql.fragment`select asset.id as asset_id from (select distinct unnest(${sql.array(ids, 'int4')}) as id) given
      cross join ${rowById('asset', orgId, sql.fragment`given.id`)} asset`;
  }
  return keys === undefined
    ? null
    : sql.fragment`select id as asset_id from assets where org_id = ${orgId} and external_key = any(${sql.array(keys, 'text')})`;
}

export function namesAssets({ asset_id: ids, asset_external_key: keys }: AssetFilters): boolean {
  return ids !== undefined || keys !== undefined;
}
