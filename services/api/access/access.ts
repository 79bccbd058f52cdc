import { timingSafeEqual } from 'node:crypto';
import type { SameJson } from '../../../base/json/same-json.ts';
import type { OrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import { digestOf, parseKey } from '../../../domain/administration/api-keys/key-format.ts';
import type { ReadLargeRows } from '../../../domain/master-data/pages-in-pieces.ts';
import type { Access } from '../../../platform/http/app.ts';
import { unauthorized } from '../../../platform/http/bearer.ts';
import type { LargeBodies } from '../../../platform/http/large-bodies.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { ThreadTask } from '../../../platform/runtime/work-threads.ts';
import type { ApiContext } from '../serving/context.ts';
import type { ImportTurns } from '../serving/import-turns.ts';
import type { LargeRows } from '../serving/large-rows.ts';
import type { KeyUsage } from './key-usage.ts';
import type { KeyCache } from './queries.ts';

export interface ApiAccessParts {
  door: OrganizationDoor;
  keys: KeyCache;
  usage: KeyUsage;
  largeBodies: LargeBodies;
  largeRows: LargeRows;
  imports: ImportTurns;
}

/** Authenticates API keys (contract 5). */
export function apiKeyAccess(parts: ApiAccessParts): Access<ApiContext> {
  return {
    authenticate: async (token) => {
      const context = await authenticate(token, parts);
      parts.usage.note(context.apiKeyId);
      return context;
    },
    authorize: (context, route) => authorize(context, route.scope),
    callerOf: ({ db, apiKeyId }) => ({ orgId: db.orgId, apiKeyId }),
  };
}

async function authenticate(
  token: string,
  { keys, door, largeBodies, largeRows, imports }: ApiAccessParts,
): Promise<ApiContext> {
  const key = parseKey(token);
  const known = key === null ? null : await keys.get(key.id);
  if (key === null || known === null || !timingSafeEqual(digestOf(key.secret), known.row.secret_sha256)) {
    throw unauthorized('Invalid or expired token');
  }
  const { org_id: orgId, scopes, org_is_deleted: orgIsDeleted } = known.row;
  const caller = { orgId, apiKeyId: key.id };
  if (known.row.is_revoked) {
    throw unauthorized('API key has been revoked', caller);
  }
  if (performance.now() >= known.expiresAtMs) {
    throw unauthorized('API key has expired', caller);
  }
  const sameJson: SameJson = (a, b) => largeBodies.same(a, b, caller);
  const readLarge: ReadLargeRows = (resource, ids, options) => largeRows.read(orgId, resource, ids, options);
  const inThread = <Result>(task: ThreadTask) => largeBodies.run<Result>(task, caller);
  return {
    apiKeyId: key.id,
    scopes,
    orgIsDeleted,
    db: door.of(orgId),
    keys,
    imports,
    sameJson,
    readLarge,
    inThread,
  };
}

/** A key outlives its organization: it then gets 422 where any key will do, and 403 everywhere else. */
function authorize({ scopes, orgIsDeleted }: ApiContext, scope: string | null): void {
  if (orgIsDeleted) {
    const detail = 'The organization of this API key no longer exists';
    throw new Problem(scope === null ? 'missing_org_context' : 'forbidden', detail);
  }
  if (scope !== null && !scopes.includes(scope)) {
    throw new Problem('forbidden', `Missing required scope: ${scope}`);
  }
}
