import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Networks } from '../../base/networks.ts';
import { createHttpApp } from '../../platform/http/app.ts';
import { serveApp } from '../../platform/http/app-files/serve-app.ts';
import type { Limiter, NoteRefusal } from '../../platform/http/entrance.ts';
import type { LargeBodies } from '../../platform/http/large-bodies.ts';
import { type Page, servePages } from '../../platform/http/pages.ts';
import type { LoggedRequests } from '../../platform/http/request-log.ts';
import type { RefuseSignIn } from '../../platform/rate-limit/sign-in-failures.ts';
import type { Health } from '../../platform/runtime/health.ts';
import { type HandheldAccessParts, handheldAccess } from './access/access.ts';
import { APP_HEADERS } from './app-folder.ts';
import { describeGateway, type Limits } from './description.ts';
import { GATEWAY_ROUTES } from './routes.ts';
import type { HandheldContext } from './serving/context.ts';

export interface AppParts extends HandheldAccessParts {
  health: Health;
  log: Logger;
  logRequests: LoggedRequests;
  trustedProxies: Networks;
  registry: Registry;
  limiter: Limiter<HandheldContext>;
  refuseSignIn: RefuseSignIn;
  noteRefusal: NoteRefusal;
  largeBodies: LargeBodies;
  limits: Limits;
  appFolder: string;
}

export function createApp({
  health,
  log,
  logRequests,
  trustedProxies,
  registry,
  limiter,
  refuseSignIn,
  noteRefusal,
  limits,
  appFolder,
  largeBodies,
  ...access
}: AppParts): Koa {
  return createHttpApp({
    log,
    logRequests,
    trustedProxies,
    registry,
    limiter,
    refuseSignIn,
    noteRefusal,
    routes: GATEWAY_ROUTES,
    access: handheldAccess(access),
    largeBodies: { threads: largeBodies, bodies: import.meta.resolve('./bodies.ts') },
    pages: [servePages(health), serveApp(appFolder, APP_HEADERS)],
    documents: [publish(limits)],
  });
}

const DESCRIPTION_PATH = '/handheld/openapi.json';

function publish(limits: Limits) {
  let page: Page | undefined;
  const describe = (): Page => ({
    status: 200,
    contentType: 'application/json',
    body: Buffer.from(`${JSON.stringify(describeGateway(limits), null, 2)}\n`),
    headers: { 'X-Content-Type-Options': 'nosniff' },
  });
  return servePages(async (path) => {
    if (path !== DESCRIPTION_PATH) {
      return null;
    }
    page ??= describe();
    return page;
  });
}
