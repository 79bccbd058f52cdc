import type { JsonSchema } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/fields.ts';
import {
  findLiveOrganization,
  type OrganizationRow,
} from '../../../domain/administration/organizations/live-organization.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { found } from '../../../platform/http/success.ts';
import { type ApiContext, route } from '../serving/context.ts';

const ORGANIZATION: JsonSchema = {
  title: 'Organization',
  description: "The organization of the key, and the key's scopes.",
  type: 'object',
  properties: {
    id: { ...ID_SCHEMA, description: 'Assigned by the service; never changes.' },
    name: { type: 'string', minLength: 1, maxLength: 255, description: 'Its name.' },
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

const me = route({
  method: 'GET',
  path: '/api/v1/orgs/me',
  operationId: 'getOwnOrganization',
  summary: 'Read the organization of the key',
  description: 'Any key may ask. A good first request: it shows whether the key works, and its scopes.',
  scope: null,
  success: found(ORGANIZATION, 'The organization'),
  problems: { missing_org_context: 'The organization of the key no longer exists' },
  handle: async ({ context }) => {
    const organization = await findLiveOrganization(context.db, context.db.orgId);
    if (organization === null) {
      throw new Problem('missing_org_context', 'The organization of this API key no longer exists');
    }
    return organizationView(organization, context);
  },
});

export const orgRoutes = [me];

function organizationView({ id, name }: OrganizationRow, { scopes, actor }: ApiContext) {
  return { id, name, scopes, api_key_id: actor.id };
}
