import {
  flag,
  ID_SCHEMA,
  type JsonSchema,
  KEY_SCHEMA,
  TIME_SCHEMA,
  timestamp,
} from '../../base/checks/fields.ts';
import { nullable, nullableSchema, optional } from '../../base/checks/members.ts';
import { TAG } from './tags/schema.ts';

/** What is an item's own: an asset's or a location's. */
interface Own {
  title: string;
  description: string;
  /** Several of them, and the key the first one gets if it is given none. */
  named: { plural: string; minted: string };
  /** What says where it is, which stands behind its description. */
  place: Record<string, JsonSchema>;
  /** What stands in front of its tags. */
  other?: Record<string, JsonSchema>;
  example: Record<string, unknown>;
}

/** An asset or a location on the wire: what both have (contract 2.2 and 2.3), and its own. */
export function itemSchema({ title, description, named, place, other = {}, example }: Own): JsonSchema {
  const properties = {
    id: { ...ID_SCHEMA, description: 'Assigned by the service; never changes.' },
    external_key: {
      ...KEY_SCHEMA,
      description: `Your own key, unique among the live ${named.plural} of the organization; case matters. One is made (\`${named.minted}\`) if you give none. Changed by a rename only.`,
    },
    name: { type: 'string', minLength: 1, maxLength: 255, description: 'What people call it.' },
    description: {
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 1024,
      description: 'What else there is to say. Null for nothing.',
    },
    ...place,
    is_active: { type: 'boolean', description: 'Yours to use. True if you say nothing on create.' },
    valid_from: {
      ...TIME_SCHEMA,
      description: 'From when on it is in effect. The time of creation if you give none.',
    },
    valid_to: {
      ...nullableSchema(TIME_SCHEMA),
      description: 'Until when it is in effect. Null for no end.',
    },
    ...other,
    tags: {
      type: 'array',
      items: TAG,
      description:
        'What is attached to it, in order of id. Given on create; later by attaching and detaching.',
    },
    created_at: { ...TIME_SCHEMA, description: 'When it was created.' },
    updated_at: { ...TIME_SCHEMA, description: 'When it was changed last; moves with every change.' },
    deleted_at: {
      ...nullableSchema(TIME_SCHEMA),
      description: 'When it was soft-deleted. Null if it is live.',
    },
  };
  return {
    title,
    description,
    type: 'object',
    properties,
    required: Object.keys(properties),
    examples: [example],
  };
}

/** Whether and when an item is in use, as a create or a PATCH writes it. */
export const STATE = {
  is_active: optional(flag),
  valid_from: optional(timestamp),
  valid_to: nullable(timestamp),
};
