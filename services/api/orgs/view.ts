import type { OrganizationRow } from '../../../domain/administration/organizations/live-organization.ts';
import type { ApiContext } from '../serving/context.ts';

export function organizationView({ id, name }: OrganizationRow, { scopes, actor }: ApiContext) {
  return { id, name, scopes, api_key_id: actor.id };
}
