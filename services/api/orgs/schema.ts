import type { JsonSchema } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/id-field.ts';

export const ORGANIZATION: JsonSchema = {
  title: 'Organization',
  description: 'The organization of the key, and what the key may do.',
  type: 'object',
  properties: {
    id: { ...ID_SCHEMA, description: 'Assigned by the service; never changes.' },
    name: { type: 'string', minLength: 1, maxLength: 255, description: 'What people call it.' },
    scopes: { type: 'array', items: { type: 'string' }, description: 'The scopes of the key.' },
    api_key_id: { type: 'string', description: 'The id of the key; not a secret.' },
  },
  required: ['id', 'name', 'scopes', 'api_key_id'],
  examples: [
    {
      id: 1,
      name: 'Acme Logistics',
      scopes: ['assets:read', 'locations:read', 'tracking:read'],
      api_key_id: '01KQSA8N2V6T4W8XJY3ZB5D7FH',
    },
  ],
};
