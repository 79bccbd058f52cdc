import type { JsonSchema } from '../../base/checks/fields.ts';

/** What a member can be given that is wrong, or nearly so; as JSON, since some of it cannot be had otherwise. */
const VALUES = [
  'null',
  'true',
  '1',
  '0',
  '-1',
  '1.5',
  '2147483648',
  '12345678901234567890',
  '1.00000000000000000001',
  '1e400',
  '""',
  '" "',
  '"x"',
  '"a b"',
  '"\\u0001"',
  '"\\u00e9"',
  `"${'x'.repeat(300)}"`,
  `"${'x'.repeat(1_100)}"`,
  '"2026-05-04T08:00:00.123456789+02:00"',
  '"1970-01-01T00:00:00Z"',
  '"2026-02-30T00:00:00Z"',
  '[]',
  '[1]',
  '[null]',
  '[{}]',
  '[{"id":1,"tag_type":"rfid","value":"A"}]',
  '[{"tag_type":"rfid","value":"A"},{"tag_type":"x","value":""},{"tag_type":null,"more":1}]',
  '{}',
  '{"a":1.10,"b":12345678901234567890,"__proto__":{}}',
  '{"a":"\\u0000"}',
  '{"id":1,"external_key":"A"}',
];

/** What is no JSON, or not of the kind that is taken. */
const TEXTS = [
  '',
  ' ',
  'null',
  '[]',
  '1',
  '{',
  '{}',
  '{} x',
  '\ufeff{}',
  '\u0000{}',
  '{"a":"\\ud800"}',
  '"x"',
];

/** Small bodies for what a declaration takes, with all that can be wrong with each member, and with several. */
export function faultyBodies(schema: JsonSchema): string[] {
  const valid = (schema['examples'] as Record<string, unknown>[] | undefined)?.[0] ?? {};
  const keys = [...Object.keys(schema['properties'] ?? {}), 'location_id', 'no_such_key', '__proto__'];
  const member = (key: string, value: string) => `${JSON.stringify(key)}:${value}`;
  const rest = Object.entries(valid).map(([key, value]) => member(key, JSON.stringify(value)));
  return [
    ...TEXTS,
    ...keys.flatMap((key) => VALUES.map((value) => `{${[...rest, member(key, value)].join()}}`)),
    ...VALUES.map((value) => `{${keys.map((key) => member(key, value)).join()}}`),
  ];
}
