import type { Middleware } from 'koa';

/** Headers of every answer: nothing is kept by caches or read by other sites. */
export function answerHeaders(isSecure: boolean): Middleware {
  const headers = {
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(isSecure ? { 'Strict-Transport-Security': `max-age=${2 * 365 * 86_400}` } : {}),
  };
  return (koa, next) => {
    koa.set(headers);
    if (koa.path.startsWith('/console/')) {
      koa.set('Cache-Control', 'no-store');
    }
    return next();
  };
}
