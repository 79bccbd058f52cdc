import { timingSafeEqual } from 'node:crypto';
import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Networks } from '../../base/networks.ts';
import { digestOfSecret, parseKey } from '../../domain/administration/api-keys/key-format.ts';
import type { CredentialUsage } from '../../platform/access/credential-usage.ts';
import { createHttpApp } from '../../platform/http/app.ts';
import { bearerOf, unauthorized } from '../../platform/http/bearer.ts';
import { compressAnswers } from '../../platform/http/compress-answers.ts';
import type { Access, Limiter, NoteRefusal } from '../../platform/http/entrance.ts';
import { servePages } from '../../platform/http/pages.ts';
import { organizationMoves, Problem } from '../../platform/http/problem.ts';
import type { LoggedRequests } from '../../platform/http/request-log.ts';
import type { RefuseSignIn } from '../../platform/rate-limit/sign-in-failures.ts';
import type { Health } from '../../platform/runtime/health.ts';
import type { KeyCache } from './access/queries.ts';
import { type DescriptionOptions, describePublicApi } from './description/document.ts';
import { publishDescription } from './description/publish.ts';
import { EPCIS, mountEpcis } from './epcis/mount.ts';
import { epcisRoutes } from './epcis/routes.ts';
import { mcpRoute } from './mcp/route.ts';
import { resolverRoutes, sendPeople } from './resolver.ts';
import { API_RESOURCES, API_ROUTES } from './routes.ts';
import { type ApiContext, requireScope } from './serving/context.ts';
import { contextOf, type Serving } from './serving/serving.ts';

export interface AppParts {
  serving: Serving;
  keys: KeyCache;
  keyUsage: CredentialUsage;
  health: Health;
  log: Logger;
  logRequests: LoggedRequests;
  trustedProxies: Networks;
  registry: Registry;
  limiter?: Limiter<ApiContext>;
  refuseSignIn?: RefuseSignIn;
  noteRefusal?: NoteRefusal;
  description: DescriptionOptions;
  consoleUrl: string | null;
}

export function createApp({
  serving,
  keys,
  keyUsage,
  health,
  description,
  consoleUrl,
  ...parts
}: AppParts): Koa {
  return createHttpApp({
    ...parts,
    routes: [
      ...API_ROUTES,
      ...epcisRoutes(description.publicUrl),
      mcpRoute(API_ROUTES, consoleUrl),
      ...resolverRoutes(consoleUrl),
    ],
    access: apiKeyAccess({ ...serving, keys, usage: keyUsage }),
    largeBodies: { threads: serving.largeBodies, bodies: import.meta.resolve('./bodies.ts') },
    pages: [
      servePages(health),
      ...(consoleUrl === null ? [] : [sendPeople(consoleUrl)]),
      compressAnswers(),
      (koa, next) => (`${koa.path}/`.startsWith(`${EPCIS}/`) ? mountEpcis(koa, next) : next()),
    ],
    hasEtags: true,
    documents: [publishDescription(() => describePublicApi(API_RESOURCES, description))],
  });
}

interface ApiAccessParts extends Serving {
  keys: KeyCache;
  usage: CredentialUsage;
}

function apiKeyAccess(parts: ApiAccessParts): Access<ApiContext> {
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
  if (scope !== null) {
    requireScope({ scopes }, scope);
  }
}
