import type { JsonSchema } from '../../../base/checks/fields.ts';
import { TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { tagType, tagValue } from '../../../domain/master-data/tags/new-tag.ts';
import {
  TAG_TYPE_SCHEMA,
  TAG_VALUE_SCHEMA,
  TAG_WITHOUT_ID,
} from '../../../domain/master-data/tags/stored-tags.ts';
import { pagingOf } from '../../../platform/http/lists.ts';
import { booleanFilter, described, idInPath, mandatoryParameter } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { ASSET_EXAMPLE, LOCATION_EXAMPLE, REFERENCE_PROPERTIES, referenceSchema } from '../wire/reference.ts';

export const TAGS = {
  type: 'array',
  items: TAG_WITHOUT_ID,
  description: 'The attached tags, in the order of attaching.',
};
export const TAGS_EXAMPLE = [{ tag_type: 'rfid', value: 'E28011600000020912345678' }];

const LAST_SEEN = { description: 'When a scan saw it last.', examples: ['2026-05-04T07:59:59.370Z'] };

export const TAGGED: JsonSchema = {
  title: 'Tagged',
  description: 'The owner of a tag: an asset or a location; the other is null.',
  type: 'object',
  properties: {
    tag_type: TAG_TYPE_SCHEMA,
    value: { ...TAG_VALUE_SCHEMA, description: 'The value of the tag that was found.' },
    asset: {
      type: ['object', 'null'],
      description: 'The asset it is attached to.',
      properties: {
        ...REFERENCE_PROPERTIES,
        last_seen: {
          ...nullableSchema(TIME_SCHEMA),
          ...LAST_SEEN,
          description: 'When a scan saw it last. Null for never.',
        },
        location: referenceSchema('Where it is. Null if that is not known.', LOCATION_EXAMPLE),
      },
      required: ['id', 'external_key', 'name', 'last_seen', 'location'],
      examples: [{ ...ASSET_EXAMPLE, last_seen: '2026-05-04T07:59:59.370Z', location: LOCATION_EXAMPLE }],
    },
    location: { ...referenceSchema('The location it is attached to.', LOCATION_EXAMPLE), examples: [null] },
  },
  required: ['tag_type', 'value', 'asset', 'location'],
};

export const LOCATION: JsonSchema = {
  title: 'Location',
  description: 'A live location.',
  type: 'object',
  properties: {
    ...REFERENCE_PROPERTIES,
    parent_id: {
      ...nullableSchema(REFERENCE_PROPERTIES.id),
      description: 'The location directly above it. Null at the root.',
    },
    tags: TAGS,
  },
  required: ['id', 'external_key', 'name', 'parent_id', 'tags'],
  examples: [{ ...LOCATION_EXAMPLE, parent_id: 1, tags: [{ tag_type: 'barcode', value: 'D1' }] }],
};

export const EXPECTED: JsonSchema = {
  title: 'ExpectedAsset',
  description: 'A live asset that was last seen at the location.',
  type: 'object',
  properties: {
    ...REFERENCE_PROPERTIES,
    last_seen: { ...TIME_SCHEMA, ...LAST_SEEN },
    tags: TAGS,
  },
  required: ['id', 'external_key', 'name', 'last_seen', 'tags'],
  examples: [{ ...ASSET_EXAMPLE, last_seen: '2026-05-04T07:59:59.370Z', tags: TAGS_EXAMPLE }],
};

export const TAG_QUERY = {
  parameters: {
    tag_type: described(mandatoryParameter(tagType), 'The kind of tag.', 'rfid'),
    value: described(
      mandatoryParameter(tagValue),
      'The value of the tag, matched as in a scan.',
      'E28011600000020912345678',
    ),
    guessed: described(
      booleanFilter(false),
      'The device guessed `tag_type`: if no tag of this kind matches, but tags of exactly one other kind do, it is that kind.',
    ),
  },
} as const satisfies Query;

/** Long enough for most organizations' locations on one page: devices keep the list for offline use. */
export const PAGING = pagingOf({ max: 1000, initial: 1000 });

export const PAGE_QUERY = { parameters: PAGING } as const satisfies Query;

export const LOCATION_ID = { location_id: described(idInPath, 'Id of the location.', 4) };
