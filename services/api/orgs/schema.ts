import { ID_SCHEMA, type JsonSchema } from '../../shared/http/fields.ts';

/** The caller's organization, and what the key it calls with may do. */
export const ORGANIZATION: JsonSchema = {
  type: 'object',
  properties: {
    id: ID_SCHEMA,
    name: { type: 'string', minLength: 1, maxLength: 255 },
    scopes: { type: 'array', items: { type: 'string' } },
    api_key_id: { type: 'string' },
  },
  required: ['id', 'name', 'scopes', 'api_key_id'],
  additionalProperties: false,
};
