import fc, { type Arbitrary } from 'fast-check';
import { MULTIPART_TYPE } from '../../../platform/http/body.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { ApiContext } from '../../../services/api/serving/context.ts';
import { bodyOf } from './bodies.ts';
import { FORM_TYPE, FORMS } from './forms.ts';
import { headersOf } from './headers.ts';
import { type FuzzRequest, HEAD_LIMIT, headSize } from './request.ts';
import { targetOf } from './targets.ts';

const OTHER_METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
];

/** Requests for a route, from what it declares of itself; most of them with something wrong. */
export function requestsFor(route: Route<ApiContext>, key: string): Arbitrary<FuzzRequest> {
  const expected = route.body?.type === MULTIPART_TYPE ? FORMS : bodyOf(route.body?.schema ?? {});
  const none = { weight: route.body === null ? 150 : 1, arbitrary: fc.constant(null) };
  const mediaType = route.body?.type === MULTIPART_TYPE ? FORM_TYPE : (route.body?.type ?? null);
  const requests = fc.record({
    method: fc.oneof({ weight: 15, arbitrary: fc.constant(route.method) }, fc.constantFrom(...OTHER_METHODS)),
    target: targetOf(route),
    headers: headersOf(key, mediaType),
    body: fc.oneof({ weight: 15, arbitrary: expected }, none),
    chunk: fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, fc.constantFrom(1_000, 100_000)),
  });
  return requests.filter((request) => Math.abs(headSize(request) - HEAD_LIMIT) > UNCERTAIN);
}

/** Bytes by which Node.js's count of a head may differ from its size. */
const UNCERTAIN = 500;
