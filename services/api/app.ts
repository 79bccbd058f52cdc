import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { OrganizationDoor } from '../../db/timescale/connections/organization-door.ts';
import { createHttpApp, type Limiter, type NoteRefusal } from '../../platform/http/app.ts';
import type { LargeBodies } from '../../platform/http/large-bodies.ts';
import { servePages } from '../../platform/http/pages.ts';
import type { LoggedRequests } from '../../platform/http/request-log.ts';
import type { RefuseSignIn } from '../../platform/rate-limit/sign-in-failures.ts';
import type { Health } from '../../platform/runtime/health.ts';
import { apiKeyAccess } from './access/access.ts';
import type { KeyUsage } from './access/key-usage.ts';
import type { KeyCache } from './access/queries.ts';
import { type DescriptionOptions, describePublicApi } from './description/document.ts';
import { publishDescription } from './description/publish.ts';
import { API_RESOURCES, API_ROUTES } from './routes.ts';
import type { ApiContext } from './serving/context.ts';
import type { ImportTurns } from './serving/import-turns.ts';
import type { LargeRows } from './serving/large-rows.ts';

export interface AppParts {
  door: OrganizationDoor;
  keys: KeyCache;
  keyUsage: KeyUsage;
  health: Health;
  log: Logger;
  logRequests: LoggedRequests;
  registry: Registry;
  limiter?: Limiter<ApiContext>;
  refuseSignIn?: RefuseSignIn;
  noteRefusal?: NoteRefusal;
  largeBodies: LargeBodies;
  largeRows: LargeRows;
  imports: ImportTurns;
  description: DescriptionOptions;
}

export function createApp({
  door,
  keys,
  keyUsage,
  health,
  description,
  largeBodies,
  largeRows,
  imports,
  ...parts
}: AppParts): Koa {
  return createHttpApp({
    ...parts,
    routes: API_ROUTES,
    access: apiKeyAccess({ door, keys, usage: keyUsage, largeBodies, largeRows, imports }),
    largeBodies: { threads: largeBodies, bodies: import.meta.resolve('./bodies.ts') },
    pages: [servePages(health)],
    documents: [publishDescription(() => describePublicApi(API_RESOURCES, description))],
  });
}
