import type { Middleware } from 'koa';
import { type Headers, Problem } from './problem.ts';

/** A page served without credentials (health, metrics, a description), or a redirect. */
export type Page = WholePage | Redirect;

interface WholePage {
  status: number;
  contentType: string;
  body: string | Buffer;
  /** With an `ETag`, a caller that has the page gets 304. */
  headers?: Headers;
}

interface Redirect {
  /** Permanent or temporary. */
  status: 301 | 302;
  headers: { Location: string };
  body: null;
}

/** Serves pages to GET and HEAD. `find` gives null for an unknown path. */
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
    koa.set(page.headers ?? {});
    if (page.body === null) {
      koa.body = null;
      koa.status = page.status;
      return;
    }
    koa.status = page.status;
    if (page.headers?.['ETag'] !== undefined && koa.fresh) {
      koa.status = 304;
      return;
    }
    koa.set('Content-Type', page.contentType);
    // As bytes: Node.js would send the headers of a text body in UTF-8, and a request id comes in Latin-1.
    koa.body = typeof page.body === 'string' ? Buffer.from(page.body) : page.body;
  };
}
