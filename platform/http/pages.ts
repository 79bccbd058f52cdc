import type { Middleware } from 'koa';
import { type Encoding, encodingFor, isKnown } from './compress-answers.ts';
import { type Headers, Problem } from './problem.ts';

export type Page = WholePage | Redirect;

interface WholePage {
  status: number;
  contentType: string;
  body: string | Buffer;
  /** With an `ETag`, a caller that has the page gets 304. */
  headers?: Headers;
  /** The same, compressed. */
  encoded?: Encoded;
}

export type Encoded = Readonly<Partial<Record<Encoding, Buffer>>>;

interface Redirect {
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
    const encoding = page.encoded === undefined ? null : encodingFor(koa, page.encoded);
    const etag = page.headers?.['ETag'];
    if (etag !== undefined) {
      koa.set('ETag', encoding === null ? etag : etag.replace(/"$/, `-${encoding}"`));
      if (isKnown(koa)) {
        koa.status = 304;
        return;
      }
    }
    koa.set('Content-Type', page.contentType);
    if (encoding !== null) {
      koa.set('Content-Encoding', encoding);
    }
    // As bytes: Node.js would send the headers of a text body in UTF-8, and a request id is Latin-1.
    koa.body = bytesOf(page, encoding);
  };
}

function bytesOf({ body, encoded }: WholePage, encoding: Encoding | null): Buffer {
  const bytes = (encoding === null ? undefined : encoded?.[encoding]) ?? body;
  return typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
}
