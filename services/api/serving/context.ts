import type { SameJson } from '../../../base/json/same-json.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { ReadLargeRows } from '../../../domain/master-data/pages-in-pieces.ts';
import type { CredentialCache, CredentialRow } from '../../../platform/access/credential-cache.ts';
import { routesOf } from '../../../platform/http/route.ts';
import type { ThreadTask } from '../../../platform/runtime/work-threads.ts';
import type { ImportTurns } from './import-turns.ts';

/** What handlers know of the caller. */
export interface ApiContext {
  apiKeyId: string;
  scopes: readonly string[];
  orgIsDeleted: boolean;
  db: OrganizationDatabase;
  /** For changes of keys, which must count from the next request on. */
  keys: Pick<CredentialCache<CredentialRow>, 'changing'>;
  imports: ImportTurns;
  sameJson: SameJson;
  readLarge: ReadLargeRows;
  /** Runs a task in a worker thread. */
  inThread<Result>(task: ThreadTask): Promise<Result>;
}

export const route = routesOf<ApiContext>();
