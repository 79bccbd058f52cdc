import { choice, type Field, ID_SCHEMA, type JsonSchema, text } from '../../../base/checks/fields.ts';
import { accepted, type Checked } from '../../../base/checks/issues.ts';
import { mandatory, mandatoryNotNull, type Values } from '../../../base/checks/members.ts';
import { objectField } from '../../../base/checks/object-field.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import { TAG_TYPES, type TagType } from '../../../domain/tracking/tag-type.ts';
import { checkedBody, jsonBody } from '../../../platform/http/body.ts';
import { described, idInPath } from '../../../platform/http/parameters.ts';

/** A tag record (contract 2.4). */
export const TAG: JsonSchema = {
  title: 'Tag',
  description: 'A tag that is attached to an asset or a location.',
  type: 'object',
  properties: {
    id: { ...ID_SCHEMA, description: 'Unique among tags only.' },
    tag_type: {
      type: 'string',
      'x-extensible-enum': TAG_TYPES,
      description: 'The kind of tag. More kinds may come: tolerate those you do not know.',
    },
    value: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'What the tag says when it is read. Any characters but control characters (tab, line feed and carriage return are allowed).',
    },
  },
  required: ['id', 'tag_type', 'value'],
  examples: [{ id: 31, tag_type: 'rfid', value: 'E28011600000020912345678' }],
};

/** The path of a tag. */
export const TAG_ID = { tag_id: described(idInPath, 'Id of the tag.', 31) };

/** A tag to attach, with the key that reads of it are matched by. */
export interface NewTag {
  tagType: TagType;
  value: string;
  tagKey: string;
}

const MEMBERS = { tag_type: mandatoryNotNull(choice(TAG_TYPES)), value: mandatory(text(255)) };

const TOLD = {
  title: 'NewTag',
  description:
    'A tag to attach. Type and value together are unique in the organization among the tags that are attached.',
  like: TAG,
  example: { tag_type: 'rfid', value: 'E28011600000020912345678' },
};

/** A tag in the body of a create. */
export const newTag: Field<NewTag> = objectField(MEMBERS, toNewTag, TOLD);

/** The body of an attach. */
export const newTagBody = checkedBody(jsonBody(MEMBERS, TOLD), toNewTag);

/** Separators alone are a value like any other (contract 2.4), which no read can be matched to. */
function toNewTag({ tag_type: tagType, value }: Values<typeof MEMBERS>): Checked<NewTag> {
  return accepted({ tagType, value, tagKey: keyOfTag(tagType, value) });
}

/** What reads of a tag are matched by; the value itself where nothing else is left of it. */
export function keyOfTag(tagType: TagType, value: string): string {
  return tagKey(tagType, value) || value;
}
