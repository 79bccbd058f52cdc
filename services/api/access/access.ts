import { timingSafeEqual } from 'node:crypto';
import { digestOfSecret, parseKey } from '../../../domain/administration/api-keys/key-format.ts';
import type { CredentialUsage } from '../../../platform/access/credential-usage.ts';
import { bearerOf, unauthorized } from '../../../platform/http/bearer.ts';
import type { Access } from '../../../platform/http/entrance.ts';
import { organizationMoves, Problem } from '../../../platform/http/problem.ts';
import type { ApiContext } from '../serving/context.ts';
import { contextOf } from '../serving/context-of.ts';
import type { Serving } from '../serving/serving.ts';
import type { KeyCache } from './queries.ts';

export interface ApiAccessParts extends Serving {
  keys: KeyCache;
  usage: CredentialUsage;
}

export function apiKeyAccess(parts: ApiAccessParts): Access<ApiContext> {
  return {
    credentialOf: bearerOf,
    authenticate: async (token) => {
      const context = await authenticate(token, parts);
      parts.usage.note(context.actor.id);
      return context;
    },
    authorize: (context, route) => authorize(context, route.scope),
    callerOf: ({ db, actor }) => ({ orgId: db.orgId, apiKeyId: actor.id }),
  };
}

async function authenticate(token: string, parts: ApiAccessParts): Promise<ApiContext> {
  const key = parseKey(token);
  const known = key === null ? null : await parts.keys.get(key.id);
  if (
    key === null ||
    known === null ||
    !timingSafeEqual(digestOfSecret(key.secret), known.row.secret_sha256)
  ) {
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
  if (known.row.org_is_held) {
    throw organizationMoves(caller);
  }
  return contextOf(parts, { orgId, actor: { type: 'key', id: key.id }, scopes, orgIsDeleted }, caller);
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
