import { ID_SCHEMA, type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { identifiersOf } from '../../identity/named.ts';
import { READING_KINDS } from '../../tracking/reading-kind.ts';
import { namedBy } from '../../tracking/tag-key.ts';
import { TAG_TYPES, type TagType } from '../../tracking/tag-type.ts';

const EXAMPLE = { tag_type: 'rfid', value: 'E28011600000020912345678' };

export const TAG_TYPE_SCHEMA: JsonSchema = {
  type: 'string',
  'x-extensible-enum': TAG_TYPES,
  description: 'The kind of tag. More kinds may come: tolerate those you do not know.',
  examples: [EXAMPLE.tag_type],
};

export const TAG_VALUE_SCHEMA: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'The value that is read from the tag. Any characters but control characters (tab, line feed and carriage return are allowed; in barcodes also U+001D, FNC1).',
  examples: [EXAMPLE.value],
};

export const TAG_WITHOUT_ID: JsonSchema = {
  title: 'Tag',
  description: 'A tag that is attached to an asset or a location.',
  type: 'object',
  properties: { tag_type: TAG_TYPE_SCHEMA, value: TAG_VALUE_SCHEMA },
  required: ['tag_type', 'value'],
  examples: [EXAMPLE],
};

const NEWEST: JsonSchema = {
  type: 'object',
  properties: {
    value: { type: 'number', description: 'In the unit of its kind.' },
    observed_at: { ...TIME_SCHEMA, description: 'When it was measured.' },
  },
  required: ['value', 'observed_at'],
};

/** Contract 2.4. */
export const TAG: JsonSchema = {
  ...TAG_WITHOUT_ID,
  properties: {
    id: { ...ID_SCHEMA, description: 'Unique among tags only.' },
    tag_type: TAG_TYPE_SCHEMA,
    value: TAG_VALUE_SCHEMA,
    gs1: {
      type: ['object', 'null'],
      description:
        "The GS1 key that the value names, whatever its notation: values by application identifier. Left out, as are the next two, of a tag whose value names nothing by GS1's standards. Null for an EPC that is no GS1 key.",
      additionalProperties: { type: 'string' },
    },
    digital_link: {
      type: ['string', 'null'],
      description: 'The same as a canonical GS1 Digital Link. Null for an EPC that is no GS1 key.',
    },
    epc_uri: {
      type: ['string', 'null'],
      description:
        'The same as an EPC URI. Null unless the value is an EPC or an EPC URI that says how long the company prefix is.',
    },
    readings: {
      type: 'object',
      description:
        'The newest value of each kind that it measured, by time of observation. Left out of a tag that never measured anything. More kinds may come.',
      properties: Object.fromEntries(READING_KINDS.map((kind) => [kind, NEWEST])),
    },
  },
  required: ['id', 'tag_type', 'value'],
  examples: [{ id: 31, ...EXAMPLE }],
};

export interface TagRow {
  id: number;
  tag_type: TagType;
  value: string;
}

export function storedTags(json: string): TagRow[] {
  return JSON.parse(json);
}

/** A tag with the names of its value by GS1's standards; unchanged without any. */
export function namedTag<Tag extends TagRow>(tag: Tag) {
  const named = namedBy(tag.tag_type, tag.value);
  return named === null ? tag : { ...tag, ...identifiersOf(named) };
}

/** JSON of stored tags with {@link namedTag} of each. */
export function namedTags(json: string): string {
  const tags = storedTags(json);
  const named = tags.map(namedTag);
  return named.some((tag, index) => tag !== tags[index]) ? JSON.stringify(named) : json;
}
