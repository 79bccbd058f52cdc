import type { JsonSchema } from '../../base/checks/fields.ts';

/** A body as large as may be, of a kind that could take time out of proportion. */
export interface WorstBody {
  name: string;
  text: string;
}

export const BODY_BYTES = 1_048_576;

/** The worst bodies for what a declaration takes: for each of its members, and for those it does not know. */
export function worstBodies(schema: JsonSchema): WorstBody[] {
  const valid = exampleOf(schema) as Record<string, unknown>;
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const bodies = [
    ...UNKNOWN.map(({ name, text }) => ({
      name: `unknown: ${name}`,
      text: withMember(valid, 'unknown', text),
    })),
    { name: 'tiny unknown keys', text: withMembers(valid, (at) => `"${at.toString(36)}":1`) },
    { name: 'unknown keys of digits', text: withMembers(valid, (at) => `"${at * 37}":1`) },
    { name: 'one key, repeated', text: withMembers(valid, () => '"k":1') },
    { name: 'nothing but brackets', text: '['.repeat(BODY_BYTES) },
    { name: 'nothing but escapes', text: `"${'\\u0041'.repeat(BODY_BYTES / 6 - 1)}"` },
  ];
  for (const [key, member] of properties) {
    for (const { name, text } of worstValues(member)) {
      bodies.push({ name: `${key}: ${name}`, text: withMember(valid, key, text) });
    }
  }
  return bodies;
}

const BAD_FOR_SCALARS = new Set(['numbers', 'a number of many digits', 'a great exponent', 'letters']);
const VALUE_BYTES = BODY_BYTES - 2_048;
const UNKNOWN: WorstBody[] = [
  { name: 'numbers', text: list('1') },
  { name: 'long numbers', text: list('12345678901234567890') },
  { name: 'one long number among small ones', text: `[12345678901234567890,${list('1').slice(1, -40)}]` },
  { name: 'decimals', text: list('1.5') },
  { name: 'objects', text: list('{}') },
  { name: 'lists', text: list('[]') },
  { name: 'one key in many objects', text: list('{"a":1}') },
  { name: 'deep objects', text: list(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`) },
  { name: 'an object of many keys', text: `{${fill((at) => `"${at.toString(36)}":1`)}}` },
  { name: 'a number of many digits', text: '9'.repeat(VALUE_BYTES) },
  { name: 'a fraction of many digits', text: `1.${'0'.repeat(VALUE_BYTES)}1` },
  { name: 'a great exponent', text: `1e${'9'.repeat(VALUE_BYTES)}` },
  { name: 'escapes', text: `"${'\\n'.repeat(VALUE_BYTES / 2)}"` },
  { name: 'pairs of escapes', text: `"${'\\ud83d\\ude00'.repeat(VALUE_BYTES / 12)}"` },
  { name: 'backslashes', text: `"${'\\\\'.repeat(VALUE_BYTES / 2)}"` },
  { name: 'letters', text: `"${'a'.repeat(VALUE_BYTES)}"` },
  { name: 'blanks', text: `${' '.repeat(VALUE_BYTES)}1` },
];

/** What is bad for anything, or for this; and lists of as many items as are taken, valid, alike and empty. */
function worstValues(schema: JsonSchema): WorstBody[] {
  const items = schema['items'] as JsonSchema | undefined;
  if (schema['additionalProperties'] === true) {
    return UNKNOWN.map(({ name, text }) => ({ name, text: text.startsWith('{') ? text : `{"a":${text}}` }));
  }
  if (items === undefined) {
    return UNKNOWN.filter(({ name }) => BAD_FOR_SCALARS.has(name));
  }
  const most = Number(schema['maxItems'] ?? 10_000);
  const item = exampleOf(items) as Record<string, unknown>;
  const numbered = Array.from({ length: most }, (_, at) => JSON.stringify({ ...item, value: `W-${at}` }));
  return [
    ...UNKNOWN,
    { name: 'the most there can be', text: `[${numbered.join(',')}]` },
    { name: 'the most, all alike', text: `[${Array(most).fill(JSON.stringify(item)).join(',')}]` },
    { name: 'the most, all empty', text: `[${Array(most).fill('{}').join(',')}]` },
    {
      name: 'items of unknown keys',
      text: `[${Array.from({ length: Math.min(most, 5_000) }, () => `{${Array.from({ length: 25 }, (_, at) => `"${at}":1`).join(',')}}`).join(',')}]`.slice(
        0,
        VALUE_BYTES,
      ),
    },
  ];
}

function exampleOf(schema: JsonSchema): unknown {
  return (schema['examples'] as unknown[] | undefined)?.[0] ?? {};
}

function list(item: string): string {
  return `[${fill(() => item)}]`;
}

/** As many members as make a value. */
function fill(member: (at: number) => string): string {
  const members: string[] = [];
  for (let left = VALUE_BYTES; left > 0; left -= (members.at(-1)?.length ?? 0) + 1) {
    members.push(member(members.length));
  }
  return members.slice(0, -1).join(',');
}

function withMember(valid: Record<string, unknown>, key: string, text: string): string {
  const { [key]: _, ...others } = valid;
  const rest = JSON.stringify(others);
  return `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}${JSON.stringify(key)}:${text}}`;
}

function withMembers(valid: Record<string, unknown>, member: (at: number) => string): string {
  const rest = JSON.stringify(valid);
  return `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}${fill(member)}}`;
}
