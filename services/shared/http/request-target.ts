import type { Middleware } from 'koa';
import { badRequest } from './problem.ts';

/**
 * Leaves the path and query of a request's target, whichever form it has (RFC 9112 section 3.2). Of a URL that is none
 * there is no path: Koa would throw wherever it is asked for one, or say null.
 *
 * @throws Problem `bad_request`.
 */
export const settleTarget: Middleware = (koa, next) => {
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

/**
 * Refuses what does not say which host is meant, as HTTP/1.1 has it (RFC 9112 section 3.2).
 *
 * @throws Problem `bad_request`.
 */
export const requireHost: Middleware = ({ req }, next) => {
  if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    throw badRequest('Host header is required');
  }
  return next();
};
