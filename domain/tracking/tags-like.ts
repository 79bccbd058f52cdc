import { type FragmentSqlToken, sql } from '../../db/timescale/queries/sql.ts';

/** Expressions of a statement: an organization, and the keys of `soughtKeys`. */
interface Sought {
  orgId: FragmentSqlToken;
  tagType: FragmentSqlToken;
  normal: FragmentSqlToken;
  spelling: FragmentSqlToken;
  otherSpelling: FragmentSqlToken;
}

/**
 * The live tags that have a key, as a subquery: each branch has an index. GS1 identifiers are equal for all kinds of
 * tag.
 *
 * @param most per branch, for a statement that must be quick.
 */
export function tagsLike(
  { orgId, tagType, normal, spelling, otherSpelling }: Sought,
  most: number | null = null,
): FragmentSqlToken {
  const columns = sql.fragment`id, tag_type, value, asset_id, location_id`;
  const few = most === null ? sql.fragment`` : sql.fragment`limit ${most}`;
  const spelled = (key: FragmentSqlToken, isOther: FragmentSqlToken) => sql.fragment`(
      select ${columns} from tags
      where org_id = ${orgId} and tag_type = ${tagType} and detached_at is null and normal_key is ${isOther}
        and tag_key >= ${key} and tag_key <= ${key}
      order by tag_key ${few})`;
  return sql.fragment`(
      select ${columns} from tags
      where org_id = ${orgId} and detached_at is null and normal_key >= ${normal} and normal_key <= ${normal}
      order by normal_key ${few})
    union all ${spelled(spelling, sql.fragment`null`)}
    union all ${spelled(otherSpelling, sql.fragment`distinct from ${normal}`)}`;
}
