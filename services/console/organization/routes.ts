import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { renameOrganization } from '../../../domain/administration/organizations/organizations.ts';
import { noContent } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';
import { organizationPatchBody } from './schema.ts';

const rename = memberRoute({
  ...{ method: 'PATCH', path: '/console/v1/organization', operationId: 'updateOrganization' },
  summary: 'Call the organization something else',
  scope: 'organization:admin',
  body: organizationPatchBody,
  success: noContent('Renamed: sessions have the new name from the next request on'),
  handle: async ({ context: { db, parts, session }, body, requestId }) => {
    const { name } = body.against({});
    if (name !== undefined) {
      const actor = actorOfUser(session, requestId);
      await parts.insight.run(db.orgId, (installation) =>
        renameOrganization(databaseOn(installation), actor, { id: db.orgId, name }),
      );
      await heardEverywhere();
    }
  },
});

export const organizationRoutes = [rename];
