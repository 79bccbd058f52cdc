import type { Middleware } from 'koa';
import { encodesUtf8 } from './percent-encoding.ts';
import { badRequest } from './problem.ts';

/**
 * Reduces a request target of any form to path and query (RFC 9112 section 3.2). For an invalid URL Koa would throw or
 * return null wherever the path is read.
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

/** @throws Problem `bad_request` for a path that is not UTF-8. */
export const requireUtf8Path: Middleware = ({ path }, next) => {
  if (!encodesUtf8(path)) {
    throw badRequest('Request path must be percent-encoded UTF-8');
  }
  return next();
};
