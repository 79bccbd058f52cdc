import fc, { type Arbitrary } from 'fast-check';
import type { JsonSchema } from '../../../base/checks/fields.ts';

/** Integers around every limit there is: none, int2, int4, int8, the doubles that are exact, and beyond. */
export const INTEGERS = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }).map(String) },
  fc.constantFrom(
    '0',
    '-0',
    '-1',
    '00',
    '007',
    '32768',
    '2147483646',
    '2147483647',
    '2147483648',
    '-2147483649',
  ),
  fc.constantFrom('9007199254740993', '9223372036854775807', '9223372036854775808', '1'.repeat(400)),
);

/** Instants that can be stored, up to the ends of what RFC 3339 and the database can say. */
const GOOD_TIMES = fc.oneof(
  fc
    .date({ min: new Date(1), noInvalidDate: true, max: new Date('2100-01-01') })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    ...['2026-05-01T10:00:00Z', '2026-05-01t10:00:00.123456789+02:00', '2016-12-31T23:59:60Z'],
    ...['0000-01-01T00:00:00Z', '0000-02-29T23:59:59.999999-23:59', '0001-01-01T00:00:00.000001Z'],
    ...['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999999+23:59', '1969-12-31T23:59:59.999999Z'],
  ),
);

/** Beyond those ends, the sentinels, and what is no instant. */
const BAD_TIMES = fc.constantFrom(
  ...[
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '9999-12-31T23:59:60Z',
    '+10000-01-01T00:00:00Z',
  ],
  ...[
    '0001-01-01T00:00:00Z',
    '0001-01-01T23:59:00+23:59',
    '1970-01-01T05:30:00+05:30',
    '1970-01-01T00:00:00.0000009Z',
  ],
  ...[
    '2026-02-29T00:00:00Z',
    '2026-05-01T24:00:00Z',
    '2026-05-01T10:00:00+24:00',
    '2026-05-01T10:00:00.1234567890Z',
  ],
  ...[
    '2026-05-01',
    '2026/05/01',
    '2026-05-01T10:00:00',
    '1e9',
    'infinity',
    '-infinity',
    'epoch',
    'now',
    'BC',
    '',
  ],
);

export const TIMES = fc.oneof({ weight: 5, arbitrary: GOOD_TIMES }, { weight: 1, arbitrary: BAD_TIMES });

/** Text that has a meaning somewhere: to SQL, to `like`, to regular expressions, to JavaScript, to terminals. */
export const TRICKY = fc.constantFrom(
  ...[
    '',
    ' ',
    '%',
    '_',
    '\\',
    '%%%',
    "'",
    "';--",
    '"',
    '$1',
    '$slonik_1',
    '?',
    '(.*)+$',
    '[',
    '{}',
    '\u0000',
    'a\u0000b',
  ],
  ...[
    '\u0001',
    '\u001f',
    '\u007f',
    '\u0085',
    '\t',
    '\r\n',
    '\u2028',
    '\ufeff',
    '\ufffd',
    '\uffff',
    '😀',
    'é',
    'e\u0301',
  ],
  ...[
    'İ',
    'ß',
    'ŉ',
    'ΐ',
    '\ufdfa',
    'Σς',
    'ﬃ',
    '\u202e',
    'null',
    'true',
    'NaN',
    '-1',
    '1e309',
    '0x1',
    'undefined',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'then',
    'toJSON',
    'rawJSON',
    'length',
    'ASSET-0001',
  ],
);

/** Lengths around every limit there is, in code units, code points and bytes. */
const LONG = fc
  .tuple(
    fc.constantFrom('a', '-', 'é', '😀', 'ΐ', '\ufdfa', ' '),
    fc.constantFrom(2, 254, 255, 256, 1024, 1025, 2800),
  )
  .map(([char, count]) => char.repeat(count));

const RANDOM_LONG = fc.string({ unit: 'grapheme-ascii', minLength: 250, maxLength: 260 });

export const TEXTS = fc.oneof(
  // A few that are used again and again, as tags that are taken are.
  { weight: 2, arbitrary: fc.constantFrom('E1', 'E2', 'E9') },
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 2, arbitrary: TRICKY },
  LONG,
  RANDOM_LONG,
);

/** External keys: a few that are used again and again, and any others. */
export const KEYS = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[A-Za-z0-9-]{1,40}$/) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'A-1',
      'a-1',
      'L-1',
      'L-2',
      'ASSET-0001',
      'ASSET-0003',
      'LOC-0002',
      'LOC-10000',
    ),
  },
  fc.constantFrom(255, 256).map((length) => 'k'.repeat(length)),
);

/** Text that fits the schema of a string, mostly. */
export function stringOf(schema: JsonSchema): Arbitrary<string> {
  const choices = schema['enum'] ?? schema['x-extensible-enum'];
  if (Array.isArray(choices)) {
    return fc.constantFrom(...choices.map(String));
  }
  if (schema['format'] === 'date-time') {
    return TIMES;
  }
  return schema['pattern'] === undefined ? TEXTS : KEYS;
}
