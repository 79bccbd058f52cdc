import { CHALLENGE } from '../http/bearer.ts';
import type { Deprecation } from '../http/route.ts';
import type { Header, Reference } from './openapi.ts';

/** Contract 7.1, 8 and 9. */
export const HEADERS: Readonly<Record<string, Header>> = {
  'X-Request-ID': {
    description: 'Names the request: the one you sent, or a ULID. Quote it in support requests.',
    required: true,
    schema: { type: 'string' },
    example: '01KQSB3M8R0E5T9V2W4X6Y8Z1A',
  },
  'X-RateLimit-Limit': {
    description: 'How many requests a minute the key may make in the long run.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
  'X-RateLimit-Remaining': {
    description: 'How many requests are left, at most the limit: it stays there while a burst lasts.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  'X-RateLimit-Reset': {
    description: 'When the remaining requests are as many as the limit again, in seconds since 1970.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 1777885201,
  },
  ETag: {
    description:
      'Names the content of the answer: send it as `If-None-Match` next time, for 304 if it is still the same. Answers of more than a megabyte have none.',
    required: false,
    schema: { type: 'string' },
    example: 'W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  },
  'Retry-After': {
    description: 'After how many seconds to try again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string' },
    example: CHALLENGE,
  },
  Allow: {
    description: 'The methods that the path has, separated by commas; HEAD wherever GET is.',
    required: true,
    schema: { type: 'string' },
    example: 'GET, HEAD, POST',
  },
  Deprecation: {
    description: 'The operation is on its way out.',
    required: true,
    schema: { type: 'string', const: 'true' },
  },
  Sunset: {
    description: 'When the operation ends, as an HTTP date (RFC 8594).',
    required: true,
    schema: { type: 'string' },
    example: 'Fri, 01 Jan 2027 00:00:00 GMT',
  },
};

const EVERYWHERE = ['X-Request-ID', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const BY_STATUS: Readonly<Record<number, string>> = {
  304: 'ETag',
  401: 'WWW-Authenticate',
  405: 'Allow',
  408: 'Retry-After',
  429: 'Retry-After',
  503: 'Retry-After',
};

export function headersOf(status: number, deprecated: Deprecation | null): Record<string, Reference> {
  const own = BY_STATUS[status];
  const names = [
    ...EVERYWHERE,
    ...(own === undefined ? [] : [own]),
    ...(deprecated === null ? [] : ['Deprecation', 'Sunset']),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
