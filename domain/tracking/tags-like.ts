import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';

/** Expressions of a statement: an organization, and the keys of `soughtKeys`. */
export interface Sought {
  orgId: FragmentSqlToken;
  tagType: FragmentSqlToken;
  normal: FragmentSqlToken;
  spelling: FragmentSqlToken;
  otherSpelling: FragmentSqlToken;
}

/**
 * The live tags that have a key, as a subquery: each branch has an index. What GS1 names is the same whatever the kind of
 * its tag.
 *
 * @param most of each branch, of a statement that has to be quick.
 */
export function tagsLike(
  { orgId, tagType, normal, spelling, otherSpelling }: Sought,
  most: number | null = null,
): FragmentSqlToken {
  const columns = sql.fragment`id, tag_type, value, asset_id, location_id`;
  const few = most === null ? sql.fragment`` : sql.fragment`limit ${most}`;
  const spelled = (key: FragmentSqlToken) => sql.fragment`(
      select ${columns} from tags
      where org_id = ${orgId} and tag_type = ${tagType} and detached_at is null and normal_key is null
        and tag_key >= ${key} and tag_key <= ${key}
      order by tag_key ${few})`;
  return sql.fragment`(
      select ${columns} from tags
      where org_id = ${orgId} and detached_at is null and normal_key >= ${normal} and normal_key <= ${normal}
      order by normal_key ${few})
    union all ${spelled(spelling)}
    union all ${spelled(otherSpelling)}`;
}
