import fc, { type Arbitrary } from 'fast-check';
import type { JsonSchema } from '../../../base/checks/fields.ts';
import { INTEGERS, stringOf, TEXTS, TRICKY } from './values.ts';

/** What a body is: JSON as text, so that it can say what no value in memory can. */
type Text = Arbitrary<string>;

const NUMBERS = fc.oneof(
  INTEGERS,
  fc.constantFrom(
    '1.0',
    '1.10',
    '1e3',
    '1E-7',
    '1e400',
    '-1e400',
    '5e-324',
    '0.1e1',
    `0.${'0'.repeat(400)}1`,
    '1e-999999999',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);

const NOT_JSON = fc.constantFrom(
  '',
  '01',
  '+1',
  '.5',
  '1.',
  'NaN',
  'Infinity',
  'undefined',
  "'a'",
  '{,}',
  '[1,]',
  '"\n"',
  '"\\x"',
  '//',
);

const STRINGS = fc.oneof(
  TEXTS.map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '"\\ud800"',
    '"\\udc00x"',
    '"\\ud83d\\ude00"',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\u007f"',
    '"\\/"',
    '"\\u0041"',
  ),
);

const DEPTHS = fc.constantFrom(1, 62, 63, 64, 65, 5_000, 200_000);
const NESTED = fc
  .tuple(DEPTHS, fc.boolean())
  .map(([depth, isArray]) =>
    isArray ? `${'['.repeat(depth)}1${']'.repeat(depth)}` : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  );

/** JSON of any shape. */
const ANYTHING: Text = fc.letrec<{ value: string; leaf: string }>((tie) => ({
  leaf: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('null', 'true', 'false', '[]', '{}', '""') },
    { weight: 3, arbitrary: NUMBERS },
    { weight: 3, arbitrary: STRINGS },
    NESTED,
  ),
  value: fc.oneof(
    { weight: 4, arbitrary: tie('leaf') },
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    fc.array(fc.tuple(STRINGS, tie('value')), { maxLength: 3 }).map(objectText),
  ),
})).value;

function objectText(members: readonly (readonly [key: string, value: string])[]): string {
  return `{${members.map(([key, value]) => `${key}:${value}`).join()}}`;
}

/** JSON that fits the schema, mostly. */
function fitting(schema: JsonSchema): Text {
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type) {
    case 'string':
      return stringOf(schema).map((text) => JSON.stringify(text));
    case 'integer':
      return INTEGERS;
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'array':
      return fc
        .array(fitting(schema['items'] as JsonSchema), { maxLength: 4 })
        .map((items) => `[${items.join()}]`);
    case 'object':
      return schema['properties'] === undefined
        ? fc.array(fc.tuple(STRINGS, ANYTHING), { maxLength: 4 }).map(objectText)
        : objectOf(schema);
    default:
      return ANYTHING;
  }
}

/**
 * An object with what it needs and some of what it may have, of which a few values are replaced by anything, and with
 * unknown and repeated keys.
 */
function objectOf(schema: JsonSchema): Text {
  const properties = Object.entries(schema['properties'] as Record<string, JsonSchema>);
  const required = new Set(schema['required'] as string[] | undefined);
  const presence = (key: string, property: JsonSchema) =>
    required.has(key) ? often(31, 32) : seldom(property['readOnly'] === true ? 1 : 10, 32);
  const members = properties.map(([key, property]) =>
    fc
      .tuple(presence(key, property), often(30, 32), often(31, 32), fitting(property), ANYTHING)
      .map(([isThere, isFitting, isOnce, value, other]) => {
        const member = [JSON.stringify(key), isFitting ? value : other] as const;
        return isThere ? [member, ...(isOnce ? [] : [[member[0], other] as const])] : [];
      }),
  );
  const extra = fc.oneof(
    { weight: 19, arbitrary: fc.constant([]) },
    fc.array(
      fc.tuple(
        fc.oneof(TRICKY, TEXTS).map((key) => JSON.stringify(key)),
        ANYTHING,
      ),
      { maxLength: 2 },
    ),
  );
  return fc.tuple(...members, extra).map((parts) => objectText(parts.flat()));
}

/** True in so many of so many cases; shrinks to true. */
function often(count: number, of: number): Arbitrary<boolean> {
  return fc.integer({ min: 0, max: of - 1 }).map((number) => number < count);
}

/** The same; shrinks to false. */
function seldom(count: number, of: number): Arbitrary<boolean> {
  return often(of - count, of).map((isOther) => !isOther);
}

/** Bytes to send where a body of this schema is expected: mostly JSON that mostly fits. */
export function bodyOf(schema: JsonSchema): Arbitrary<Uint8Array> {
  const text = fc.oneof(
    { weight: 30, arbitrary: fitting(schema) },
    { weight: 2, arbitrary: ANYTHING },
    { weight: 1, arbitrary: NOT_JSON },
  );
  return fc.oneof({ weight: 12, arbitrary: text.map((each) => Buffer.from(each)) }, damaged(text));
}

/** JSON that something happened to. */
function damaged(text: Text): Arbitrary<Uint8Array> {
  const place = fc.nat(2_000);
  return fc.oneof(
    fc.tuple(text, place).map(([each, at]) => Buffer.from(each).subarray(0, at)),
    fc
      .tuple(text, fc.constantFrom(' ', '\n', '\0', '{}', ',', '1', '}'))
      .map(([each, more]) => Buffer.from(each + more)),
    text.map((each) => Buffer.from(`\ufeff${each}`)),
    text.map((each) => Buffer.from(each, 'utf16le')),
    text.map((each) => Buffer.from(each, 'utf16le').swap16()),
    text.map((each) => Buffer.from(each, 'latin1')),
    fc.tuple(text, place, INVALID_UTF8).map(([each, at, bytes]) => inserted(Buffer.from(each), at, bytes)),
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(1_048_575, 1_048_577).map((size) => Buffer.from(`{"name":"${'n'.repeat(size - 11)}"}`)),
    fc.constant(Buffer.from(`{"tags":[${'{"tag_type":"rfid","value":"E1"},'.repeat(9_000)}{}]}`)),
  );
}

/** A continuation byte alone, an overlong slash, a surrogate, a truncated sequence, a byte that never occurs. */
export const INVALID_UTF8 = fc.constantFrom([0x80], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf0, 0x9f], [0xff]);

export function inserted(bytes: Buffer, at: number, more: readonly number[]): Buffer {
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(more), bytes.subarray(at)]);
}
