import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { DatabasePool } from 'slonik';
import { createHttpApp, type Limiter } from '../shared/http/app.ts';
import { servePages } from '../shared/http/pages.ts';
import type { Health } from '../shared/runtime/health.ts';
import { apiKeyAccess } from './access/access.ts';
import type { KeyCache } from './access/key-cache.ts';
import type { ApiContext } from './context.ts';
import { API_ROUTES } from './routes.ts';

export interface AppParts {
  pool: DatabasePool;
  keys: KeyCache;
  health: Health;
  log: Logger;
  registry: Registry;
  limiter?: Limiter<ApiContext>;
}

/** The API as an application that does not listen. */
export function createApp({ pool, keys, health, ...parts }: AppParts): Koa {
  return createHttpApp({
    ...parts,
    routes: API_ROUTES,
    access: apiKeyAccess(pool, keys),
    pages: [servePages(health)],
  });
}
