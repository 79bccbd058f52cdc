import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Networks } from '../../base/networks.ts';
import type { SessionMembership } from '../../domain/administration/users/sessions/find-sessions.ts';
import { createHttpApp } from '../../platform/http/app.ts';
import { serveFiles } from '../../platform/http/app-files/serve-files.ts';
import { compressAnswers } from '../../platform/http/compress-answers.ts';
import type { Access, Limiter } from '../../platform/http/entrance.ts';
import { servePages } from '../../platform/http/pages.ts';
import { organizationMoves, Problem } from '../../platform/http/problem.ts';
import type { LoggedRequests } from '../../platform/http/request-log.ts';
import type { RefuseSignIn } from '../../platform/rate-limit/sign-in-failures.ts';
import type { Health } from '../../platform/runtime/health.ts';
import { contextOf, sendPeople } from '../api/entry.ts';
import { APP_HEADERS } from './app-folder.ts';
import type { ErrandCookie } from './oidc/errand-cookie.ts';
import { oidcPages } from './oidc/pages.ts';
import type { Provider } from './oidc/provider.ts';
import { MEMBER_ROUTES, VISITOR_ROUTES } from './routes.ts';
import type { ConsoleParts } from './serving/console-parts.ts';
import type { ConsoleContext } from './serving/context.ts';
import { findSession, requireSession, type Sender, senderOf, signedOut } from './serving/person.ts';
import { SCOPES_OF } from './serving/role-scopes.ts';
import { visitorAccess } from './serving/visitor.ts';

export interface AppParts {
  parts: ConsoleParts;
  /** Null for none. */
  provider: { provider: Provider; errands: ErrandCookie } | null;
  health: Health;
  log: Logger;
  logRequests: LoggedRequests;
  trustedProxies: Networks;
  registry: Registry;
  limiter: Limiter<{ bucket: string }>;
  refuseSignIn: RefuseSignIn;
  appFolder: string;
  isSecure: boolean;
}

export function createApp({
  parts,
  provider,
  health,
  appFolder,
  isSecure,
  limiter,
  refuseSignIn,
  ...rest
}: AppParts): Koa {
  const oidc = provider === null ? [] : [oidcPages({ ...provider, parts, log: rest.log })];
  return createHttpApp({
    ...rest,
    ...{ routes: MEMBER_ROUTES, access: memberAccess(parts), limiter, refuseSignIn },
    entrances: [
      (dispatching) =>
        dispatching.routesOf({ routes: VISITOR_ROUTES, access: visitorAccess(parts), limiter, refuseSignIn }),
    ],
    largeBodies: { threads: parts.serving.largeBodies, bodies: import.meta.resolve('./bodies.ts') },
    pages: [
      servePages(health),
      answerHeaders(isSecure),
      ...oidc,
      sendPeople(''),
      serveFiles(appFolder, APP_HEADERS),
      compressAnswers(),
    ],
    documents: [requireOwnRequests(parts.publicUrl)],
  });
}

/** Headers of every answer: nothing is kept by caches or read by other sites. */
function answerHeaders(isSecure: boolean): Middleware {
  const headers = {
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(isSecure ? { 'Strict-Transport-Security': `max-age=${2 * 365 * 86_400}` } : {}),
  };
  return (koa, next) => {
    koa.set(headers);
    if (koa.path.startsWith('/console/')) {
      koa.set('Cache-Control', 'no-store');
    }
    return next();
  };
}

const OWN_HEADER = 'x-tagtrail-console';

/**
 * Refuses writes that another site's page could have a browser send: their `Origin` must be the console's, and they must
 * have a header that no form can send, and no script of another origin without leave. Both, whatever the path.
 *
 * @param publicUrl the console's origin; null for the host that the request was sent to.
 */
function requireOwnRequests(publicUrl: string | null): Middleware {
  return ({ method, headers }, next) => {
    if (method !== 'GET' && method !== 'HEAD') {
      requireOwnOrigin(headers.origin, publicUrl, headers.host);
      if (headers[OWN_HEADER] !== '1') {
        throw new Problem('forbidden', 'The header X-Tagtrail-Console: 1 is missing');
      }
    }
    return next();
  };
}

function requireOwnOrigin(
  origin: string | undefined,
  publicUrl: string | null,
  host: string | undefined,
): void {
  const isOwn = publicUrl === null ? isOfHost(origin, host) : origin === publicUrl;
  if (!isOwn) {
    const own = publicUrl === null ? 'the address it was sent to' : `${publicUrl} (CONSOLE_URL)`;
    throw new Problem(
      'forbidden',
      origin === undefined
        ? `The header Origin is missing; it must be ${own}`
        : `The request comes from ${origin.slice(0, 200)}, and the console is at ${own}; open it there`,
    );
  }
}

/** Behind a proxy that ends TLS, the scheme of the request is not the browser's. */
function isOfHost(origin: string | undefined, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}

interface MemberCredential extends Sender {
  /** As it was sent; null for the only one, or the first. */
  organization: string | null;
}

function memberAccess(parts: ConsoleParts): Access<ConsoleContext, MemberCredential> {
  return {
    credentialOf: (request) => {
      const sender = senderOf(request, parts);
      if (sender.token === null) {
        throw signedOut();
      }
      return { ...sender, organization: organizationOf(request) };
    },
    authenticate: (credential) => authenticate(credential, parts),
    authorize: ({ scopes, role }, { scope }) => {
      if (scope !== null && !scopes.includes(scope)) {
        throw new Problem(
          'forbidden',
          `Your role, ${role}, does not allow this (${scope}); ask an administrator`,
        );
      }
    },
    callerOf: ({ db, session }) => ({ orgId: db.orgId, userId: session.user_id }),
  };
}

async function authenticate(credential: MemberCredential, parts: ConsoleParts): Promise<ConsoleContext> {
  const { organization, ...sender } = credential;
  const session = requireSession(await findSession(sender, parts));
  const { org_id: orgId, role, is_held: isHeld } = membershipOf(session.memberships, organization);
  if (isHeld) {
    throw organizationMoves({ orgId, userId: session.user_id });
  }
  const context = contextOf(
    parts.serving,
    {
      ...{ orgId, orgIsDeleted: false, scopes: SCOPES_OF[role] },
      actor: { type: 'user', id: String(session.user_id) },
    },
    { orgId, userId: session.user_id },
  );
  return { ...context, session, role, sender, parts, bucket: `user:${session.user_id}` };
}

/** The same answer for other organizations and missing ones, so that ids stay secret. */
function membershipOf(memberships: readonly SessionMembership[], wanted: string | null): SessionMembership {
  const membership =
    wanted === null ? memberships[0] : memberships.find(({ org_id: id }) => String(id) === wanted);
  if (membership === undefined) {
    throw new Problem(
      'forbidden',
      wanted === null
        ? 'You are a member of no organization; ask an administrator for an invitation'
        : 'You are not a member of that organization',
    );
  }
  return membership;
}

/** No EventSource, link or image can send a header. */
function organizationOf({ headers, url = '' }: IncomingMessage): string | null {
  const given = headers['x-tagtrail-organization'];
  if (typeof given === 'string') {
    return given;
  }
  const query = url.indexOf('?');
  return query === -1 || !HAS_NO_HEADER.test(url)
    ? null
    : new URLSearchParams(url.slice(query)).get('organization');
}

const HAS_NO_HEADER = /^\/console\/v1\/(events|exports\/[a-z]+|plans\/\d+\/image|readers\/\d+\/listen)\?/;
