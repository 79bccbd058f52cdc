import { arrayOf, type Field } from '../../../base/checks/fields.ts';
import { accepted } from '../../../base/checks/issues.ts';
import { joinedTexts, texts } from '../../../db/timescale/queries/array-parameters.ts';
import { type NewTag, newTag } from './new-tag.ts';
import { tagName } from './tag-name.ts';

/** Tags as statements take them, a binary array for each column. */
export interface TagArrays {
  types: Uint8Array;
  values: Uint8Array;
  keys: Uint8Array;
}

/**
 * The tags of a body as statements take them. Made where the body is checked, they leave nothing to do for each tag to
 * the thread that answers: of a create with 10,000 tags it had 17 ms.
 */
export interface TagColumns extends TagArrays {
  count: number;
  /** The names of all of them where they are few, or else null. */
  names: readonly string[] | null;
  /** The first that is named a second time, and its place in the list, from 1. */
  repeated: { place: number; tagType: string; value: string } | null;
}

export function tagColumns(tags: readonly NewTag[]): TagColumns {
  // Copied to their length, since what is behind it would go along to another thread.
  const column = (of: (tag: NewTag) => string) => new Uint8Array(texts(tags.map(of)));
  return {
    count: tags.length,
    types: column(({ tagType }) => tagType),
    values: column(({ value }) => value),
    keys: column(({ tagKey }) => tagKey),
    names: tags.length > FEW ? null : tags.map(nameOf),
    repeated: firstRepeated(tags),
  };
}

/** As many as a create may have to go together with others. */
const FEW = 16;

/** The tags of many bodies, one after another. */
export function joinedTags(all: readonly TagArrays[]): TagArrays {
  const [first] = all;
  return all.length === 1 && first !== undefined
    ? first
    : {
        types: joinedTexts(all.map(({ types }) => types)),
        values: joinedTexts(all.map(({ values }) => values)),
        keys: joinedTexts(all.map(({ keys }) => keys)),
      };
}

function firstRepeated(tags: readonly NewTag[]): TagColumns['repeated'] {
  const known = new Set<string>();
  for (const [index, tag] of tags.entries()) {
    const name = nameOf(tag);
    if (known.has(name)) {
      return { place: index + 1, tagType: tag.tagType, value: tag.value };
    }
    known.add(name);
  }
  return null;
}

function nameOf({ tagType, value }: NewTag): string {
  return tagName({ tag_type: tagType, value });
}

const list = arrayOf(newTag);

/** The tags in the body of a create. */
export const newTags: Field<TagColumns> = {
  ...list,
  read: (value, name, source) => {
    const read = list.read(value, name, source);
    return read.ok ? accepted(tagColumns(read.value)) : read;
  },
};
