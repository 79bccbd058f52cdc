import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';

/**
 * Live tags as scanning programs want them: kind and value, without ids.
 *
 * @param row alias of the rows that they are attached to.
 */
export function tagsOf(
  orgId: number,
  column: 'asset_id' | 'location_id',
  row: string,
  most: number,
): FragmentSqlToken {
  return sql.fragment`coalesce((
      select json_agg(json_build_object('tag_type', tag.tag_type, 'value', tag.value) order by tag.id)
      from (
        select tag.id, tag.tag_type, tag.value from tags tag
        where tag.org_id = ${orgId} and tag.${sql.identifier([column])} = ${sql.identifier([row, 'id'])}
          and tag.detached_at is null
        order by tag.id limit ${most}
      ) tag
    ), '[]') as tags`;
}
