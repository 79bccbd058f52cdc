import { choice, type Field, text } from '../../../base/checks/fields.ts';
import { accepted, type Checked } from '../../../base/checks/issues.ts';
import { mandatory, mandatoryNotNull, type Values } from '../../../base/checks/members.ts';
import { objectField } from '../../../base/checks/object-field.ts';
import { tagKey } from '../../tracking/tag-key.ts';
import { TAG_TYPES, type TagType } from '../../tracking/tag-type.ts';
import { TAG } from './tag-schema.ts';

export interface NewTag {
  tagType: TagType;
  value: string;
  tagKey: string;
}

export const tagType = choice(TAG_TYPES);
export const tagValue = text(255);

export const NEW_TAG = { tag_type: mandatoryNotNull(tagType), value: mandatory(tagValue) };

export const NEW_TAG_NOTES = {
  title: 'NewTag',
  description: "A tag to attach. Type and value together are unique among the organization's attached tags.",
  like: TAG,
  example: { tag_type: 'rfid', value: 'E28011600000020912345678' },
};

export const newTag: Field<NewTag> = objectField(NEW_TAG, toNewTag, NEW_TAG_NOTES);

/** A value of separators alone is valid (contract 2.4), but no read can match it. */
export function toNewTag({ tag_type: tagType, value }: Values<typeof NEW_TAG>): Checked<NewTag> {
  return accepted({ tagType, value, tagKey: keyOfTag(tagType, value) });
}

/** The matching key of a tag; the value itself if the key would be empty. */
export function keyOfTag(tagType: TagType, value: string): string {
  return tagKey(tagType, value) || value;
}
