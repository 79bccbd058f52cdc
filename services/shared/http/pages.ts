import type { Middleware } from 'koa';
import { Problem } from './problem.ts';

/** Something served as it is, without credentials: health, metrics, a description. */
export interface Page {
  status: number;
  contentType: string;
  body: string;
}

/** Serves pages to GET and HEAD, by path. `find` gives null for a path it has no page for. */
export function servePages(find: (path: string) => Promise<Page | null>): Middleware {
  return async (koa, next) => {
    const page = await find(koa.path);
    if (page === null) {
      return next();
    }
    if (koa.method !== 'GET' && koa.method !== 'HEAD') {
      throw new Problem('method_not_allowed', 'Allowed methods: GET, HEAD', {
        headers: { Allow: 'GET, HEAD' },
      });
    }
    koa.status = page.status;
    koa.set('Content-Type', page.contentType);
    koa.body = page.body;
  };
}
