import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import { tagsLike } from '../../tracking/resolve-tags.ts';
import { soughtKeys } from '../../tracking/tag-key.ts';
import { TAG_TYPES, type TagType } from '../../tracking/tag-type.ts';
import { PARENT_COLUMN, type Parent } from './queries.ts';

/** Tags as a query names them: of any kind without a type. */
export interface NamedTags {
  tag_type?: TagType | undefined;
  tag_value?: readonly string[] | undefined;
}

/** The same by the keys of all of them, side by side. */
export interface SoughtTags {
  tag_types?: readonly string[] | undefined;
  tag_normals?: readonly (string | null)[] | undefined;
  tag_spellings?: readonly (string | null)[] | undefined;
  tag_others?: readonly (string | null)[] | undefined;
}

export function soughtTags<Filters extends NamedTags>({
  tag_type: type,
  tag_value: values,
  ...filters
}: Filters): Omit<Filters, keyof NamedTags> & SoughtTags {
  if (values === undefined) {
    return filters;
  }
  const read = (type === undefined ? TAG_TYPES : [type]).flatMap((tagType) =>
    values.map((value) => ({ tagType, ...soughtKeys(tagType, value) })),
  );
  return {
    ...filters,
    tag_types: read.map(({ tagType }) => tagType),
    tag_normals: read.map(({ normal }) => normal),
    tag_spellings: read.map(({ spelling }) => spelling),
    tag_others: read.map(({ otherSpelling }) => otherSpelling),
  };
}

/** Rows with a live tag that a read of one of the tags would match; null if none are sought. */
export function hasSoughtTag(
  parent: Parent,
  orgId: number,
  { tag_types: types, tag_normals: normals, tag_spellings: spellings, tag_others: others }: SoughtTags,
): FragmentSqlToken | null {
  if (types === undefined || normals === undefined || spellings === undefined || others === undefined) {
    return null;
  }
  const column = sql.fragment`tag.${PARENT_COLUMN[parent]}`;
  const tags = tagsLike({
    orgId: sql.fragment`${orgId}`,
    tagType: sql.fragment`read.tag_type`,
    normal: sql.fragment`read.normal`,
    spelling: sql.fragment`read.spelling`,
    otherSpelling: sql.fragment`read.other_spelling`,
  });
  return sql.fragment`${sql.identifier([parent, 'id'])} = any(array(
    select ${column}
    from unnest(${sql.array(types, 'text')}, ${sql.array(normals, 'text')}, ${sql.array(spellings, 'text')},
      ${sql.array(others, 'text')}) as read (tag_type, normal, spelling, other_spelling)
    cross join lateral (${tags}) tag
    where ${column} is not null))`;
}
