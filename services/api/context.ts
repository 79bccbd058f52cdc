import { routesOf } from '../shared/http/route.ts';
import type { OrganizationDatabase } from './organization-database.ts';

/** What a handler knows of who asks. */
export interface ApiContext {
  apiKeyId: string;
  scopes: readonly string[];
  orgIsDeleted: boolean;
  db: OrganizationDatabase;
}

/** Declares a route of the API. */
export const route = routesOf<ApiContext>();
