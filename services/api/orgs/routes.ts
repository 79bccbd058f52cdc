import { findLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import { ORGANIZATION } from './schema.ts';
import { organizationView } from './view.ts';

const me = route({
  method: 'GET',
  path: '/api/v1/orgs/me',
  operationId: 'getOwnOrganization',
  summary: 'Read the organization of the key',
  description: 'Any key may ask. A good first request: it tells whether the key works, and what it may do.',
  scope: null,
  query: NO_QUERY,
  params: {},
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
