import { checkedBody, jsonBody, objectField } from '../../shared/http/body.ts';
import { choice, type Field, ID_SCHEMA, type JsonSchema, text } from '../../shared/http/fields.ts';
import { accepted, invalidValue, type Read, refused } from '../../shared/http/issues.ts';
import { mandatory, mandatoryNotNull, type Values } from '../../shared/http/members.ts';
import { tagKey } from '../../shared/tracking/tag-key.ts';
import { TAG_TYPES, type TagType } from '../../shared/tracking/tag-type.ts';

/** A tag record (interface section 2.4). */
export const TAG: JsonSchema = {
  type: 'object',
  properties: {
    id: ID_SCHEMA,
    tag_type: { type: 'string', 'x-extensible-enum': TAG_TYPES },
    value: { type: 'string', minLength: 1, maxLength: 255 },
  },
  required: ['id', 'tag_type', 'value'],
  additionalProperties: false,
};

/** A tag to attach, with the key that reads of it are matched by. */
export interface NewTag {
  tagType: TagType;
  value: string;
  tagKey: string;
}

const MEMBERS = { tag_type: mandatoryNotNull(choice(TAG_TYPES)), value: mandatory(text(255)) };

/** A tag in the body of a create. */
export const newTag: Field<NewTag> = objectField(MEMBERS, (values, name) =>
  toNewTag(values, `${name}.value`),
);

/** The body of an attach. */
export const newTagBody = checkedBody(jsonBody(MEMBERS), (values) => toNewTag(values, 'value'));

function toNewTag({ tag_type: tagType, value }: Values<typeof MEMBERS>, name: string): Read<NewTag> {
  const key = tagKey(tagType, value);
  return key === ''
    ? refused(invalidValue(name, 'must contain more than separators'))
    : accepted({ tagType, value, tagKey: key });
}
