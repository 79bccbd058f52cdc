import { choice, type Field, text } from '../../../base/checks/fields.ts';
import { accepted, type Checked } from '../../../base/checks/issues.ts';
import { mandatory, mandatoryNotNull, type Values } from '../../../base/checks/members.ts';
import { objectField } from '../../../base/checks/object-field.ts';
import { tagKey } from '../../tracking/tag-key.ts';
import { TAG_TYPES, type TagType } from '../../tracking/tag-type.ts';
import { TAG } from './tag-schema.ts';

/** A tag to attach, with the key that reads of it are matched by. */
export interface NewTag {
  tagType: TagType;
  value: string;
  tagKey: string;
}

export const tagType = choice(TAG_TYPES);
export const tagValue = text(255);

export const NEW_TAG = { tag_type: mandatoryNotNull(tagType), value: mandatory(tagValue) };

/** What the description says of it. */
export const NEW_TAG_TOLD = {
  title: 'NewTag',
  description:
    'A tag to attach. Type and value together are unique in the organization among the tags that are attached.',
  like: TAG,
  example: { tag_type: 'rfid', value: 'E28011600000020912345678' },
};

/** A tag in the body of a create. */
export const newTag: Field<NewTag> = objectField(NEW_TAG, toNewTag, NEW_TAG_TOLD);

/** Separators alone are a value like any other (contract 2.4), which no read can be matched to. */
export function toNewTag({ tag_type: tagType, value }: Values<typeof NEW_TAG>): Checked<NewTag> {
  return accepted({ tagType, value, tagKey: keyOfTag(tagType, value) });
}

/** What reads of a tag are matched by; the value itself where nothing else is left of it. */
export function keyOfTag(tagType: TagType, value: string): string {
  return tagKey(tagType, value) || value;
}
