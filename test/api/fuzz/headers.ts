import fc, { type Arbitrary } from 'fast-check';

export type Header = readonly [name: string, value: string];

/** What Node.js lets through: everything but control characters, and blanks at neither end. */
const FIELD_VALUES = fc.uint8Array({ maxLength: 30 }).map((bytes) =>
  String.fromCharCode(...bytes)
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .trim(),
);

const LONG_VALUES = fc.constantFrom(1_000, 8_000).map((length) => 'x'.repeat(length));

const MEDIA_TYPES = fc.oneof(
  fc.constantFrom(
    'application/json',
    'APPLICATION/JSON ; Charset="UTF-8"',
    'application/json; charset=utf-16',
    'application/json;',
  ),
  fc.constantFrom(
    'application/merge-patch+json',
    'application/merge-patch+json; charset=latin1',
    'text/plain',
    'text/csv',
    '*/*',
    '',
  ),
  fc.constantFrom(
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'multipart/form-data; boundary="',
    '/',
    ';',
    '; charset=',
  ),
  FIELD_VALUES,
);

const AUTHORIZATIONS = fc.oneof(
  fc.constantFrom(
    '',
    'Bearer',
    'Bearer ',
    'bearer  x',
    'Bearer a b',
    'Basic dTpw',
    'Bearer null',
    'Bearer \t',
    'Digest',
  ),
  fc.constantFrom(
    `Bearer tt_${'0'.repeat(26)}_${'A'.repeat(43)}`,
    `Bearer tt_${'I'.repeat(26)}_`,
    `Bearer ${'x'.repeat(7_000)}`,
  ),
  FIELD_VALUES.map((value) => `Bearer ${value}`),
  FIELD_VALUES,
);

/** Headers that are nothing to the service, or should not be. */
const STRAY: Arbitrary<Header> = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      'X-Request-ID',
      'x-request-id',
      'X-Api-Key',
      'Cookie',
      'Accept',
      'Accept-Charset',
      'Origin',
      'Range',
      'X-Any',
    ),
    fc.oneof(FIELD_VALUES, LONG_VALUES),
  ),
  fc.constantFrom<Header>(
    ['Accept', 'text/html'],
    ['Accept-Encoding', 'gzip;q=2, br'],
    ['Content-Encoding', 'gzip'],
    ['Content-Encoding', ' Identity'],
    ['Expect', '100-continue'],
    ['If-None-Match', '*'],
    ['If-Modified-Since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    ['Range', 'bytes=0-1'],
    ['Upgrade', 'websocket'],
    ['TE', 'trailers'],
    ['Connection', 'close'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Forwarded-Host', 'evil.example'],
    ['X-Original-URL', '/api/v1/orgs/me'],
    ['__proto__', 'x'],
  ),
);

/** Headers of a request: mostly a good key and the right type, and now and then others as well or instead. */
export function headersOf(key: string, mediaType: string | null): Arbitrary<readonly Header[]> {
  const authorization = fc.oneof(
    { weight: 20, arbitrary: fc.constant<Header[]>([['Authorization', `Bearer ${key}`]]) },
    AUTHORIZATIONS.map((value): Header[] => [['Authorization', value]]),
    fc.constant<Header[]>([]),
  );
  const contentType = fc.oneof(
    { weight: 30, arbitrary: fc.constant<Header[]>(mediaType === null ? [] : [['Content-Type', mediaType]]) },
    MEDIA_TYPES.map((value): Header[] => [['Content-Type', value]]),
  );
  const stray = fc.oneof(
    { weight: 4, arbitrary: fc.constant<Header[]>([]) },
    fc.array(STRAY, { maxLength: 2, size: 'max' }),
  );
  return fc.tuple(authorization, contentType, stray).map((parts) => parts.flat());
}
