import type { SameJson } from '../../../base/json/same-json.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { ReadLargeRows } from '../../../domain/master-data/pages-in-pieces.ts';
import type { CredentialCache, CredentialRow } from '../../../platform/access/credential-cache.ts';
import { routesOf } from '../../../platform/http/route.ts';
import type { ThreadTask } from '../../../platform/runtime/work-threads.ts';
import type { ImportTurns } from './import-turns.ts';

/** What a handler knows of who asks. */
export interface ApiContext {
  apiKeyId: string;
  scopes: readonly string[];
  orgIsDeleted: boolean;
  db: OrganizationDatabase;
  /** Where a change of keys is made, so that it counts from the next request on. */
  keys: Pick<CredentialCache<CredentialRow>, 'changing'>;
  imports: ImportTurns;
  sameJson: SameJson;
  readLarge: ReadLargeRows;
  /** Has something done in a thread. */
  inThread<Result>(task: ThreadTask): Promise<Result>;
}

/** Declares a route of the API. */
export const route = routesOf<ApiContext>();
