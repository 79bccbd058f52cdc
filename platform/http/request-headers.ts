import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import { badRequest } from './problem.ts';

/**
 * Refuses a missing (RFC 9112 section 3.2) or invalid `Host`, and repeated headers that must be single:
 * Node.js keeps the first, a proxy in front of it perhaps the last.
 *
 * @throws Problem `bad_request`.
 */
export const requireClearHeaders: Middleware = ({ req }, next) => {
  if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    throw badRequest('Host header is required');
  }
  if (!HOST.test(req.headers.host ?? '')) {
    throw badRequest('Host header is not valid');
  }
  const repeated = repeatedHeader(req);
  if (repeated !== null) {
    throw badRequest(`${repeated} header must be given only once`);
  }
  return next();
};

/** A name or an address, and an optional port (RFC 9110 section 7.2). */
const HOST = /^(?:\[[\w:.%]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

const SINGLE = ['Host', 'Authorization', 'Content-Type'];

function repeatedHeader({ rawHeaders }: IncomingMessage): string | null {
  return SINGLE.find((name) => countOf(name, rawHeaders) > 1) ?? null;
}

/** @param rawHeaders names and values, alternating. */
function countOf(wanted: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === wanted.length && name.toLowerCase() === wanted.toLowerCase()) {
      count += 1;
    }
  }
  return count;
}
