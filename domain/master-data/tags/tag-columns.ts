import { arrayOf, type Field } from '../../../base/checks/fields.ts';
import { accepted } from '../../../base/checks/issues.ts';
import { joinedTexts, texts } from '../../../db/timescale/queries/array-parameters.ts';
import { type NewTag, newTag } from './new-tag.ts';
import { tagName } from './tag-name.ts';

export interface TagArrays {
  types: Uint8Array;
  values: Uint8Array;
  keys: Uint8Array;
}

/**
 * A body's tags in statement form. Built by the thread that checks the body, they spare the main thread work
 * per tag: 17 ms for a create with 10,000.
 */
export interface TagColumns extends TagArrays {
  count: number;
  names: readonly string[] | null;
  /** The first repeated tag, with its position from 1. */
  repeated: { ordinal: number; tagType: string; value: string } | null;
}

export function tagColumns(tags: readonly NewTag[]): TagColumns {
  // Trimmed to their length, or the unused rest would be transferred to the other thread.
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

const FEW = 16;

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
      return { ordinal: index + 1, tagType: tag.tagType, value: tag.value };
    }
    known.add(name);
  }
  return null;
}

function nameOf({ tagType, value }: NewTag): string {
  return tagName({ tag_type: tagType, value });
}

const list = arrayOf(newTag);

export const newTags: Field<TagColumns> = {
  ...list,
  read: (value, name, source) => {
    const read = list.read(value, name, source);
    return read.ok ? accepted(tagColumns(read.value)) : read;
  },
};
