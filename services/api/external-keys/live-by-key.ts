import { type FragmentSqlToken, sql, type ValueExpression } from '../../../db/timescale/queries/sql.ts';
import type { Keyed } from './mint.ts';

const TABLE = { asset: sql.fragment`assets`, location: sql.fragment`locations` };

/**
 * The id of the live row with a key, for a subquery of its own (`exists` drops the order). Asked for in order of keys it comes
 * by the index on those; of an organization that is younger than the statistics, another seems as good, by which every
 * create read all of its rows.
 */
export function liveByKey(resource: Keyed, orgId: number, key: ValueExpression): FragmentSqlToken {
  return sql.fragment`select id from ${TABLE[resource]}
    where org_id = ${orgId} and external_key >= ${key} and external_key <= ${key} and deleted_at is null
    order by external_key limit 1`;
}
