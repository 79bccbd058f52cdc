import fc, { type Arbitrary } from 'fast-check';
import type { JsonSchema } from '../../../base/checks/fields.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { ApiContext } from '../../../services/api/serving/context.ts';
import { INTEGERS, stringOf, TEXTS, TRICKY } from './values.ts';

/** Percent-encoded wrongly or oddly, and bytes that are not encoded at all. */
const JUNK = fc.constantFrom(
  ...[
    '%',
    '%2',
    '%ZZ',
    '%00',
    '%0a',
    '%ff',
    '%c3%28',
    '%E0%A4%A',
    '%ed%a0%80',
    '%25',
    '%u0041',
    '+',
    '%2B',
    '%20',
  ],
  ...[
    '\xff',
    '\xc3\xa9',
    '"',
    '<',
    '\\',
    '^',
    '`',
    '{',
    '|',
    '..',
    '.',
    '%2e%2e',
    '%2F',
    ';',
    ':',
    '@',
    '!',
    '*',
    '(',
    '~',
  ],
);

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

const SEGMENTS = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 9 }).map(String) },
  INTEGERS,
  fc.constantFrom(
    '1.5',
    '1e3',
    '0x1',
    '+1',
    '1%20',
    '%31',
    'bulk',
    'me',
    'abc',
    '',
    '1/',
    '1//2',
    '1%2F2',
    '١',
  ),
  JUNK,
  TEXTS.map(encoded),
);

/** The path of a route, with anything for its placeholders; some other path now and then. */
export function pathOf(template: string): Arbitrary<string> {
  const parts = template.split(/\{\w+\}/);
  const filled = fc
    .array(SEGMENTS, { minLength: parts.length - 1, maxLength: parts.length - 1 })
    .map((segments) => parts.map((part, index) => part + (segments[index] ?? '')).join(''));
  return fc.oneof(
    { weight: 40, arbitrary: filled },
    fc
      .tuple(filled, fc.oneof(JUNK, fc.constantFrom('/', '//', '/%', '#x', '/tags')))
      .map(([path, more]) => path + more),
  );
}

function argumentOf(name: string, schema: JsonSchema): Arbitrary<string> {
  const type = schema['type'];
  if (type === 'array' || type === 'object') {
    return argumentOf(name, (schema['items'] ?? schema['additionalProperties']) as JsonSchema);
  }
  if (name === 'sort') {
    return fc.array(sortTerm(String(schema['description'])), { maxLength: 3 }).map((terms) => terms.join());
  }
  if (type === 'integer') {
    return INTEGERS;
  }
  return type === 'boolean' ? fc.constantFrom('true', 'false', 'True', '1') : stringOf(schema);
}

/** The description of a `sort` parameter ends with its fields. */
function sortTerm(description: string): Arbitrary<string> {
  const fields = /Fields: (.*)\./.exec(description)?.[1]?.split(', ') ?? [];
  return fc
    .tuple(fc.constantFrom('', '-', '-', '--'), fc.constantFrom(...fields, 'id', ''))
    .map((each) => each.join(''));
}

/** A query string: mostly parameters that the route declares, with values that mostly fit. */
function queryOf(route: Route<ApiContext>): Arbitrary<string> {
  const stray = fc
    .tuple(
      fc.oneof(
        fc.constantFrom('limit', 'sort', 'Limit', 'q[]', 'external_key[]', 'api_key', 'fields'),
        TRICKY,
        TEXTS,
      ),
      TEXTS,
    )
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const declared = Object.entries(route.query.parameters).map(([prefix, { schema, hasMembers }]) => {
    const name = hasMembers === true ? `${prefix}.owner` : prefix;
    return fc.oneof(
      { weight: 12, arbitrary: argumentOf(name, schema).map((value) => `${name}=${encoded(value)}`) },
      { weight: 1, arbitrary: JUNK.map((value) => `${name}=${value}`) },
      { weight: 1, arbitrary: TEXTS.map((value) => `${name}=${encoded(value)}`) },
      { weight: 1, arbitrary: fc.constantFrom(name, `${name}=`, `${name}[]=1`, `${name}==`) },
    );
  });
  const part =
    declared.length === 0 ? stray : fc.oneof({ weight: 20, arbitrary: fc.oneof(...declared) }, stray);
  const many = fc
    .constantFrom('external_key=A-1&', 'limit=1&', '&', '=&', 'x&')
    .map((each) => each.repeat(300));
  return fc.oneof(
    { weight: declared.length === 0 ? 200 : 4, arbitrary: fc.constant('') },
    { weight: 16, arbitrary: fc.array(part, { maxLength: 4 }).map((parts) => `?${parts.join('&')}`) },
    { weight: 1, arbitrary: many.map((each) => `?${each}`) },
  );
}

/** What is no path and query of an API: other forms of target (RFC 9112 section 3.2), and what is none of them. */
const OTHER_TARGETS = fc.constantFrom(
  ...[
    '*',
    'http://127.0.0.1/api/v1/assets',
    'http://[',
    'http://',
    'http:',
    '//',
    '///',
    '//x/api/v1/assets',
    '/',
    '/%',
    '?',
  ],
  ...[
    '/api',
    '/api/v1/',
    '/api/v1/../v1/assets',
    '/api//v1/assets',
    '/./api/v1/assets',
    '/api/v1/assets;x=1',
    '127.0.0.1:443',
  ],
  ...[
    '/api/v1/assets#',
    'javascript:alert(1)',
    'x',
    'http://a@b:c/',
    'http://%zz/',
    'http://x:99999/',
    '/\\',
    '/api/v1/ASSETS',
  ],
);

/** Path and query of a request for a route. Node.js takes neither blanks nor control characters. */
export function targetOf(route: Route<ApiContext>): Arbitrary<string> {
  const target = fc
    .tuple(pathOf(route.path), queryOf(route))
    .map((parts) => parts.join('').replace(/[^!-~\x80-\xff]/g, ''));
  return fc.oneof({ weight: 60, arbitrary: target }, OTHER_TARGETS);
}
