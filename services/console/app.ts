import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Networks } from '../../base/networks.ts';
import { createHttpApp } from '../../platform/http/app.ts';
import { serveApp } from '../../platform/http/app-files/serve-app.ts';
import { compressAnswers } from '../../platform/http/compress-answers.ts';
import type { Limiter } from '../../platform/http/entrance.ts';
import { servePages } from '../../platform/http/pages.ts';
import type { LoggedRequests } from '../../platform/http/request-log.ts';
import type { RefuseSignIn } from '../../platform/rate-limit/sign-in-failures.ts';
import type { Health } from '../../platform/runtime/health.ts';
import { answerHeaders } from './access/answer-headers.ts';
import { memberAccess } from './access/member-access.ts';
import { requireOwnRequests } from './access/own-requests.ts';
import { APP_HEADERS } from './app-folder.ts';
import type { ErrandCookie } from './oidc/errand-cookie.ts';
import { oidcPages } from './oidc/pages.ts';
import type { Provider } from './oidc/provider.ts';
import { MEMBER_ROUTES, VISITOR_ROUTES } from './routes.ts';
import type { ConsoleParts } from './serving/console-parts.ts';
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
      serveApp(appFolder, APP_HEADERS),
      compressAnswers(),
    ],
    documents: [requireOwnRequests(parts.publicUrl)],
  });
}
