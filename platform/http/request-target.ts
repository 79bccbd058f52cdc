import type { Middleware } from 'koa';
import { encodesUtf8 } from './percent-encoding.ts';
import { badRequest } from './problem.ts';

/**
 * Leaves the path and query of a request's target, whichever form it has (RFC 9112 section 3.2). Of a URL that is none
 * there is no path: Koa would throw wherever it is asked for one, or say null.
 *
 * @throws Problem `bad_request`.
 */
export const normalizeTarget: Middleware = (koa, next) => {
  const target = koa.req.url ?? '';
  if (!target.startsWith('/') && target !== '*') {
    koa.req.url = '';
    if (!URL.canParse(target)) {
      throw badRequest('Request target is not valid');
    }
    const { pathname, search } = new URL(target);
    koa.req.url = pathname + search;
  }
  return next();
};

/** Refuses a path that is not UTF-8, which names nothing. @throws Problem `bad_request`. */
export const requireUtf8Path: Middleware = ({ path }, next) => {
  if (!encodesUtf8(path)) {
    throw badRequest('Request path must be percent-encoded UTF-8');
  }
  return next();
};
