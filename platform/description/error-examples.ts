import { bearerToken } from '../http/bearer.ts';
import { parseBody } from '../http/body.ts';
import { requireMediaType } from '../http/media-type.ts';
import { envelope, Problem, type ProblemType, queryTimeout, toProblem } from '../http/problem.ts';
import { readQuery } from '../http/query.ts';
import { BODY_LIMIT } from '../http/read-body.ts';
import type { DescribedRoute } from './described-route.ts';
import { HEADERS } from './headers.ts';

/** An example from the code that builds real answers. Null for types that differ too much from case to case. */
export function errorExample(type: ProblemType, route: DescribedRoute, instance: string): object | null {
  const problem = MAKE[type]?.(route) ?? null;
  return problem === null ? null : envelope(problem, instance, String(HEADERS['X-Request-ID']?.example));
}

const MAKE: Partial<Record<ProblemType, (route: DescribedRoute) => Problem | null>> = {
  validation_error: ({ query }) => thrownBy(() => readQuery(query, 'colour=red')),
  bad_request: () => thrownBy(() => parseBody(Buffer.from('{"name":'))),
  unauthorized: () => thrownBy(() => bearerToken({})),
  forbidden: ({ scope }) => new Problem('forbidden', `Missing required scope: ${scope}`),
  // "Asset not found, or the tag is not attached to it": the first of two cases.
  not_found: ({ problems }) => new Problem('not_found', problems.get('not_found')?.split(',')[0] ?? ''),
  feed_expired: () =>
    new Problem(
      'feed_expired',
      'Events after position 0 are not kept any more; the oldest is 901, the head 48123',
      {
        params: { oldest: 901, head: 48_123 },
      },
    ),
  payload_too_large: () =>
    new Problem('payload_too_large', `Request body must be at most ${BODY_LIMIT} bytes`),
  unsupported_media_type: ({ body }) =>
    body === null ? null : thrownBy(() => requireMediaType({ 'content-type': 'text/plain' }, body.type)),
  missing_org_context: () =>
    new Problem('missing_org_context', 'The organization of this API key no longer exists'),
  rate_limited: () => new Problem('rate_limited', 'Retry after 1 seconds'),
  query_timeout: () =>
    queryTimeout('The query took too long and was cancelled; narrow it with filters, or try again later'),
  internal_error: () => toProblem(new Error('an example')),
};

function thrownBy(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    return toProblem(error);
  }
  throw new Error('an example of an error is none');
}
