import fc, { type Arbitrary } from 'fast-check';
import { MULTIPART_TYPE } from '../../../platform/http/body.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { ApiContext } from '../../../services/api/serving/context.ts';
import { bodyOf, INVALID_UTF8, inserted } from './bodies.ts';
import { headersOf } from './headers.ts';
import { type FuzzRequest, HEAD_LIMIT, headSize } from './request.ts';
import { targetOf } from './targets.ts';
import { TEXTS } from './values.ts';

const BOUNDARY = 'x';
const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const NAMES = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('name="file"', 'name=file; filename="a.csv"', 'NAME="f\\"ile"') },
  fc.constantFrom('', 'name', 'name=', 'name="', 'filename="file"', 'name="%22"'),
);

const PARTS = fc
  .tuple(NAMES, fc.constantFrom('\r\n', '\r\nContent-Type: text/csv\r\n', '\n', ': x\r\n'), TEXTS)
  .map(
    ([name, more, content]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; ${name}${more}\r\n${content}\r\n`,
  );

/** Forms with a file, or something like it. */
const FORMS = fc
  .tuple(
    fc.array(PARTS, { maxLength: 3 }),
    fc.constantFrom(`--${BOUNDARY}--\r\n`, `--${BOUNDARY}--`, `--${BOUNDARY}`, ''),
    fc.option(fc.tuple(fc.nat(200), INVALID_UTF8), { freq: 4 }),
  )
  .map(([parts, end, damage]) => {
    const form = Buffer.from(parts.join('') + end);
    return damage === null ? form : inserted(form, ...damage);
  });

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
