import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Networks } from '../../base/networks.ts';
import type { CredentialUsage } from '../../platform/access/credential-usage.ts';
import { createHttpApp } from '../../platform/http/app.ts';
import type { Limiter, NoteRefusal } from '../../platform/http/entrance.ts';
import { servePages } from '../../platform/http/pages.ts';
import type { LoggedRequests } from '../../platform/http/request-log.ts';
import type { RefuseSignIn } from '../../platform/rate-limit/sign-in-failures.ts';
import type { Health } from '../../platform/runtime/health.ts';
import { apiKeyAccess } from './access/access.ts';
import type { KeyCache } from './access/queries.ts';
import { type DescriptionOptions, describePublicApi } from './description/document.ts';
import { publishDescription } from './description/publish.ts';
import { API_RESOURCES, API_ROUTES } from './routes.ts';
import type { ApiContext } from './serving/context.ts';
import type { Serving } from './serving/serving.ts';

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
}

export function createApp({ serving, keys, keyUsage, health, description, ...parts }: AppParts): Koa {
  return createHttpApp({
    ...parts,
    routes: API_ROUTES,
    access: apiKeyAccess({ ...serving, keys, usage: keyUsage }),
    largeBodies: { threads: serving.largeBodies, bodies: import.meta.resolve('./bodies.ts') },
    pages: [servePages(health)],
    documents: [publishDescription(() => describePublicApi(API_RESOURCES, description))],
  });
}
