import { ID_SCHEMA, type JsonSchema } from '../../../base/checks/fields.ts';
import { TAG_TYPES } from '../../tracking/tag-type.ts';

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
