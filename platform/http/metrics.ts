import type { Middleware } from 'koa';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Counts and times requests by operation, so that the number of series does not grow with the number of paths. */
export function measureRequests(registry: Registry): Middleware {
  const labelNames = ['operation', 'method', 'status'] as const;
  const requests = new Counter({
    name: 'tagtrail_http_requests_total',
    help: 'Requests answered.',
    labelNames,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'tagtrail_http_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['operation'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return async (koa, next) => {
    const start = performance.now();
    try {
      await next();
    } finally {
      const operation = String(koa.state['operation'] ?? 'none');
      requests.inc({ operation, method: koa.method, status: koa.status });
      seconds.observe({ operation }, (performance.now() - start) / 1000);
    }
  };
}
