import type { ApiContext } from '../context.ts';

export interface OrganizationRow {
  id: number;
  name: string;
}

export function organizationView({ id, name }: OrganizationRow, { scopes, apiKeyId }: ApiContext) {
  return { id, name, scopes, api_key_id: apiKeyId };
}
