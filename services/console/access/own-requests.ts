import type { Middleware } from 'koa';
import { Problem } from '../../../platform/http/problem.ts';

const OWN_HEADER = 'x-tagtrail-console';

/**
 * Refuses writes that another site's page could have a browser send: their `Origin` must be the console's, and they must
 * have a header that no form can send, and no script of another origin without leave. Both, whatever the path.
 *
 * @param publicUrl the console's origin; null for the host that the request was sent to.
 */
export function requireOwnRequests(publicUrl: string | null): Middleware {
  return ({ method, headers }, next) => {
    if (method !== 'GET' && method !== 'HEAD') {
      requireOwnOrigin(headers.origin, publicUrl, headers.host);
      if (headers[OWN_HEADER] !== '1') {
        throw new Problem('forbidden', 'The header X-Tagtrail-Console: 1 is missing');
      }
    }
    return next();
  };
}

function requireOwnOrigin(
  origin: string | undefined,
  publicUrl: string | null,
  host: string | undefined,
): void {
  const isOwn = publicUrl === null ? isOfHost(origin, host) : origin === publicUrl;
  if (!isOwn) {
    const own = publicUrl === null ? 'the address it was sent to' : `${publicUrl} (CONSOLE_URL)`;
    throw new Problem(
      'forbidden',
      origin === undefined
        ? `The header Origin is missing; it must be ${own}`
        : `The request comes from ${origin.slice(0, 200)}, and the console is at ${own}; open it there`,
    );
  }
}

/** Behind a proxy that ends TLS, the scheme of the request is not the browser's. */
function isOfHost(origin: string | undefined, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}
