import { arrayOf, choice, code, type Field } from '../../../base/checks/fields.ts';
import { accepted, type Checked, invalidValue, refused } from '../../../base/checks/issues.ts';
import { mandatory, mandatoryNotNull, objectField, type Values } from '../../../base/checks/members.ts';
import { joinedTexts, texts } from '../../../db/timescale/queries/array-parameters.ts';
import { storedKeys, tagKey } from '../../tracking/tag-key.ts';
import { isForbiddenInTag, TAG_TYPES, type TagType } from '../../tracking/tag-type.ts';
import { TAG } from './stored-tags.ts';

export interface NewTag {
  tagType: TagType;
  value: string;
  tagKey: string;
}

export const tagType = choice(TAG_TYPES);
export const tagValue = code(255);

export const NEW_TAG = { tag_type: mandatoryNotNull(tagType), value: mandatory(tagValue) };

export const NEW_TAG_NOTES = {
  title: 'NewTag',
  description: "A tag to attach. Type and value together are unique among the organization's attached tags.",
  like: TAG,
  example: { tag_type: 'rfid', value: 'E28011600000020912345678' },
};

export const newTag: Field<NewTag> = objectField(NEW_TAG, toNewTag, NEW_TAG_NOTES);

/** A value of separators alone is valid (contract 2.4), but no read can match it. */
export function toNewTag(values: Values<typeof NEW_TAG>, name?: string): Checked<NewTag> {
  const tag = permittedTag(values, name === undefined ? 'value' : `${name}.value`);
  return tag.ok ? accepted({ ...tag.value, tagKey: keyOfTag(tag.value.tagType, tag.value.value) }) : tag;
}

/** @param name of the value's field. */
export function permittedTag(
  { tag_type: tagType, value }: Values<typeof NEW_TAG>,
  name: string,
): Checked<Omit<NewTag, 'tagKey'>> {
  return isForbiddenInTag(tagType, value)
    ? refused(invalidValue(name, 'must not contain control characters'))
    : accepted({ tagType, value });
}

/** The matching key of a tag; the value itself if the key would be empty. */
export function keyOfTag(tagType: TagType, value: string): string {
  return tagKey(tagType, value) || value;
}

/** A tag's name in messages, by which it is unique within its organization (contract 2.1). */
export function tagName({ tag_type, value }: { tag_type: string; value: string }): string {
  return `${tag_type}:${value}`;
}

export interface TagArrays {
  types: Uint8Array;
  values: Uint8Array;
  spellings: Uint8Array;
  /** Empty for none. */
  normals: Uint8Array;
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
  const keys = tags.map(({ tagType, value }) => storedKeys(tagType, value));
  const column = (of: readonly string[]) => new Uint8Array(texts(of));
  return {
    count: tags.length,
    types: column(tags.map(({ tagType }) => tagType)),
    values: column(tags.map(({ value }) => value)),
    spellings: column(keys.map(({ spelling }) => spelling)),
    normals: column(keys.map(({ normal }) => normal ?? '')),
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
        spellings: joinedTexts(all.map(({ spellings }) => spellings)),
        normals: joinedTexts(all.map(({ normals }) => normals)),
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
