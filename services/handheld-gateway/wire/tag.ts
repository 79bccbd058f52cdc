import { choice, type JsonSchema, text } from '../../../base/checks/fields.ts';
import { accepted, type Checked, invalidValue, refused } from '../../../base/checks/issues.ts';
import { mandatory, mandatoryNotNull, type Values } from '../../../base/checks/members.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import { TAG_TYPES, type TagType } from '../../../domain/tracking/tag-type.ts';

/** What a device knows of a tag. */
export interface ReadTag {
  tagType: TagType;
  value: string;
}

export const tagType = choice(TAG_TYPES);
export const tagValue = text(255);

/** The keys of a tag in a body. */
export const TAG_MEMBERS = { tag_type: mandatoryNotNull(tagType), value: mandatory(tagValue) };

/** A value that has a key to be matched by: one of separators only is unusable. @param name of the value's field. */
export function usableTag({ tag_type, value }: Values<typeof TAG_MEMBERS>, name: string): Checked<ReadTag> {
  return tagKey(tag_type, value) === ''
    ? refused(invalidValue(name, 'must have more in it than separators'))
    : accepted({ tagType: tag_type, value });
}

export const TAG_TYPE_SCHEMA: JsonSchema = {
  type: 'string',
  'x-extensible-enum': TAG_TYPES,
  description: 'The kind of tag. More kinds may come: tolerate those you do not know.',
  examples: ['rfid'],
};

export const TAG_VALUE_SCHEMA: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'What the tag says when it is read.',
  examples: ['E28011600000020912345678'],
};

/** A tag on something. */
export const TAG: JsonSchema = {
  title: 'Tag',
  description: 'A tag that is attached to an asset or a location.',
  type: 'object',
  properties: { tag_type: TAG_TYPE_SCHEMA, value: TAG_VALUE_SCHEMA },
  required: ['tag_type', 'value'],
};
