import { createRequire } from 'node:module';
import type KoaRouter from '@koa/router';
import type { Context as KoaContext, Middleware } from 'koa';
import { Problem } from './problem.ts';
import type { Method, Route } from './route.ts';

// `require`, not `import`, which would load an HTTP client as well (listen-on.ts).
const Router: typeof KoaRouter = createRequire(import.meta.url)('@koa/router');

export type Dispatch<Context> = (
  koa: KoaContext,
  route: Route<Context>,
  params: Readonly<Record<string, string>>,
) => Promise<void>;

/**
 * Finds the route of a request. Paths are literal, trailing slash and case included; of two matching templates the more
 * literal one wins for all methods, so `/assets/bulk` is never read as an id.
 *
 * A known path with another method is 405 with `Allow`: HEAD wherever GET is, never OPTIONS (contract 4.1).
 */
export function routerOf<Context>(
  routes: readonly Route<Context>[],
  dispatch: Dispatch<Context>,
): Middleware {
  const router = new Router({ strict: true, sensitive: true, exclusive: true });
  const paths = Map.groupBy(routes, ({ path }) => path);
  // With `exclusive`, the router takes the last template that fits: literal ones are registered last.
  for (const [path, declared] of [...paths].sort(([a], [b]) => placeholders(b) - placeholders(a))) {
    router.all(path.replace(PLACEHOLDER, ':$1'), (koa) => {
      const method = koa.method === 'HEAD' ? 'GET' : koa.method;
      const route = declared.find((candidate) => candidate.method === method);
      if (route === undefined) {
        throw methodNotAllowed(declared.map((candidate) => candidate.method));
      }
      return dispatch(koa, route, koa.params);
    });
  }
  return router.routes() as unknown as Middleware;
}

/** Contract 4.1. */
export const unknownPath: Middleware = ({ method, path }) => {
  throw method === 'OPTIONS' ? methodNotAllowed([]) : new Problem('not_found', `Unknown API route: ${path}`);
};

function methodNotAllowed(methods: readonly Method[]): Problem {
  const allowed = ALLOW_ORDER.filter((method) =>
    methods.some((declared) => declared === method || (declared === 'GET' && method === 'HEAD')),
  ).join(', ');
  return new Problem('method_not_allowed', `Allowed methods: ${allowed}`, { headers: { Allow: allowed } });
}

const ALLOW_ORDER = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'];
const PLACEHOLDER = /\{(\w+)\}/g;

function placeholders(path: string): number {
  return path.match(PLACEHOLDER)?.length ?? 0;
}
